import type { ActionParams } from "@ccbridge/protocol/dashboard";
import { isExpired } from "../auth/rights/client.js";
import { addToken, removeToken, TokenFileError } from "../auth/rights/edit-token-file.js";
import type { TokenSource } from "../auth/token-source.js";
import { type Config, ownTokens } from "../config/settings.js";
import { newTokenLine } from "../config/token-command.js";
import type { DashboardServices } from "./context/services.js";
import { refusal } from "./context/tools.js";

/** The tokens of MCP clients, for owners. A token is shown once, to the page that creates it. */
export function clientTokens(
  source: TokenSource,
  config: Config,
  ownCommand: string,
): DashboardServices["tokens"] {
  const { clients } = source;
  const path = config.mcpTokensFile;
  const file = { path, own: ownTokens(config) };
  const advice =
    path === ""
      ? `This bridge has no file for tokens. Create it with your own token, restart the bridge and sign in: ${ownCommand} token add --name owner`
      : null;
  const edit = (change: () => void) => {
    if (advice !== null) throw refusal(advice);
    try {
      change();
    } catch (error) {
      if (error instanceof TokenFileError) throw refusal(`Nothing was changed. ${error.message}`);
      throw error;
    }
    source.reload();
  };
  return {
    list: () => ({
      file: path,
      advice,
      tokens: clients.facts().map(({ client, words, usedAt }) => ({
        name: client.name,
        mode: client.rights.mode,
        rights: words.replace(/(^|\s)(name|mode|until)=\S+/g, "").trim(),
        until: client.rights.until ?? null,
        isExpired: isExpired(client),
        usedAt: usedAt ?? null,
        mayRevoke: source.isInFile(client),
      })),
    }),
    create(rights: ActionParams<"create-token">) {
      const given = new Map(Object.entries(rights).filter(([, value]) => value !== ""));
      const made = newTokenLine((name) => given.get(name));
      if ("problem" in made) throw refusal(made.problem);
      edit(() => addToken(file, made.line));
      return made.token;
    },
    revoke: (name) => edit(() => removeToken(file, name)),
  };
}
