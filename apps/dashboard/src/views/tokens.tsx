import type { TopicData } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { Copy } from "../parts/copy.js";
import { askPerson } from "../parts/question.js";
import { Ago, dayText } from "../parts/time.js";
import { act, viewerName } from "../wire/connection.js";
import { useTopic } from "../wire/hooks.js";
import { CreateToken } from "./create-token.js";

type Token = TopicData<"tokens">["tokens"][number];

const modes = {
  look: "may only look",
  ask: "acts after a person's yes",
  all: "may do everything",
} as const;

/** The tokens of MCP clients, for owners. */
export function Tokens() {
  const { data, error } = useTopic("tokens", {});
  const created = useSignal<{ name: string; token: string } | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const revoke = async (name: string) => {
    const answer = await askPerson({
      text: `Every client that uses the token ${name} loses its connection at once.`,
      choices: { revoke: `Revoke ${name}` },
    });
    if (answer === undefined) return;
    await act("revoke-token", { name }).catch((failure: Error) => {
      problem.value = failure.message;
    });
  };
  if (data === undefined) return error === undefined ? null : <p class="problem">{error}</p>;
  return (
    <section class="stack" aria-label="Tokens">
      <h2>Tokens</h2>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {data.tokens.length === 0 && (
        <p class="muted">
          This bridge needs no token: every program on this machine may use it, and no other
          machine.
        </p>
      )}
      {data.tokens.length > 0 && (
        <ul class="permissions card" aria-label="Tokens of clients">
          {data.tokens.map((token) => (
            <li key={token.name}>
              <div>
                <p>
                  <b>{token.name}</b> {token.isExpired && <span class="badge">expired</span>}
                </p>
                <p class="muted small">
                  {modes[token.mode]}
                  {token.rights !== "" && ` · ${token.rights}`}
                  {token.until !== null && ` · ${endText(token)}`} · <LastUse token={token} />
                </p>
              </div>
              {token.mayRevoke && token.name !== viewerName.value && (
                <button
                  type="button"
                  class="danger"
                  aria-label={`Revoke the token ${token.name}`}
                  onClick={() => void revoke(token.name)}
                >
                  Revoke
                </button>
              )}
              {token.name === viewerName.value && <span class="muted small">you</span>}
              {!token.mayRevoke && token.name !== viewerName.value && (
                <span class="muted small">in the settings</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {data.advice === null ? (
        <div class="card pad">
          {created.value !== undefined && (
            <div role="status">
              <p>
                The token of <b>{created.value.name}</b>. It is shown only now:
              </p>
              <Copy text={created.value.token} label="the new token" />
            </div>
          )}
          <CreateToken
            onCreated={(name, token) => {
              created.value = { name, token };
            }}
          />
        </div>
      ) : (
        <p class="muted small">{data.advice}</p>
      )}
    </section>
  );
}

function endText({ until, isExpired }: Token): string {
  // The end is midnight after the last day. Inside a sentence it is "today".
  const day = dayText((until ?? 0) - 1).replace(/^\D/, (letter) => letter.toLowerCase());
  return isExpired ? `until ${day}` : `until the end of ${day}`;
}

function LastUse({ token: { usedAt } }: { token: Token }) {
  if (usedAt === null) return <>not used since the bridge started</>;
  return (
    <>
      used <Ago at={usedAt} />
    </>
  );
}
