import type { ActionResult } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Copy } from "../parts/copy.js";
import { act, connection } from "../wire/connection.js";
import { mayDecide } from "../wire/hooks.js";
import { CreateToken } from "./create-token.js";
import { AllUnsaved } from "./unsaved.js";
import { Waiting } from "./waiting.js";

const names: Readonly<Record<string, string>> = {
  opencode: "opencode",
  "claude-code": "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  cursor: "Cursor",
  vscode: "VS Code",
  windsurf: "Windsurf",
  zed: "Zed",
  cline: "Cline",
  goose: "Goose",
  "lm-studio": "LM Studio",
  "claude-desktop": "Claude Desktop",
};

export function Connect({ isFirst = false }: { isFirst?: boolean }) {
  const facts = useSignal<ActionResult<"connect"> | undefined>(undefined);
  const client = useSignal("claude-code");
  // Each client gets a token, so that it can be limited and revoked; never that of this page.
  const created = useSignal<Readonly<Record<string, string>>>({});
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (!isOpen) return;
    act("connect", {}).then(
      (answer) => {
        facts.value = answer;
      },
      () => {},
    );
  }, [isOpen]);
  const { value } = facts;
  if (value === undefined) return <p class="muted pad">Waiting for the bridge …</p>;
  const chosen = value.clients.find((candidate) => candidate.client === client.value);
  const given = created.value[client.value];
  const withToken = (text: string) =>
    given === undefined ? text : text.replaceAll("YOUR_TOKEN", given);
  return (
    <section class="connect">
      <h1>{isFirst ? "No computer is linked yet" : "Connect"}</h1>
      {isFirst && <AllUnsaved />}
      {mayDecide() && <Waiting />}
      <div class="card">
        <h2>1. A computer in the game</h2>
        <p>Type this on a computer or turtle in Minecraft:</p>
        <Copy text={value.gameCommand} label="the line for the game" />
        {value.needsLinkToken && (
          <p class="small muted">
            Replace YOUR_TOKEN with one of the link tokens (CC_LINK_TOKENS).
          </p>
        )}
        <details>
          <summary>“Domain not permitted”?</summary>
          <p>
            By default, the game blocks addresses on home networks. On the machine that runs
            Minecraft, this command finds the game's configuration and allows this bridge:
          </p>
          <Copy text={value.allowCommand} label="the command that allows this bridge" />
          <p>
            Or put this rule into <code>computercraft-server.toml</code> by hand, above the rule for{" "}
            <code>$private</code>:
          </p>
          <Copy text={value.addressRule} label="the rule for the game's configuration" />
        </details>
      </div>
      <div class="card">
        <h2>2. An AI client</h2>
        <label>
          Client{" "}
          <select
            value={client.value}
            onChange={({ currentTarget }) => {
              client.value = currentTarget.value;
            }}
          >
            {value.clients.map((candidate) => (
              <option key={candidate.client} value={candidate.client}>
                {names[candidate.client] ?? candidate.client}
              </option>
            ))}
          </select>
        </label>
        {chosen !== undefined && (
          <>
            {chosen.where === "a shell" ? (
              <p>Type this in a terminal:</p>
            ) : (
              <p>
                Add this to <code>{chosen.where}</code>:
              </p>
            )}
            <Copy text={withToken(chosen.text)} label="the configuration of this client" />
            {value.needsToken && given !== undefined && (
              <p class="small muted" role="status">
                It contains the new token, which is shown only now.
              </p>
            )}
            {value.needsToken && given === undefined && (
              <>
                <p class="small muted">
                  YOUR_TOKEN is a placeholder for a token of this client alone, which can be
                  revoked.
                </p>
                {mayDecide() && (
                  <CreateToken
                    key={client.value}
                    suggestedName={client.value}
                    onCreated={(_, token) => {
                      created.value = { ...created.peek(), [client.value]: token };
                    }}
                  />
                )}
              </>
            )}
          </>
        )}
        <p class="small muted">
          Any other client with MCP over HTTP connects to <code>{value.url}</code>
          {value.needsToken ? ", with the token as a Bearer token." : "."}
        </p>
      </div>
    </section>
  );
}
