import { Feature, type MethodName } from "@ccbridge/protocol";
import { type Answer, isComputer, type Registry } from "@ccbridge/registry";

/** Where agents without the feature `keys` store the token, the secret and the instance. */
const files = new Set(["/.settings", "/.mcp-computer.id"]);

const reading: Partial<Record<MethodName, "path" | "from">> = {
  "read-file": "path",
  "edit-file": "path",
  "search-files": "path",
  "copy-file": "from",
  "move-file": "from",
};

/** Protects the key files of computers whose agents do not protect them. */
export class OldAgents {
  readonly #registry: Pick<Registry, "session">;

  constructor(registry: Pick<Registry, "session">) {
    this.#registry = registry;
  }

  refuse(key: string, method: string, params: unknown): string | undefined {
    const name = reading[method as MethodName];
    if (name === undefined || !this.#isOld(key)) return undefined;
    const path = (params as Record<string, unknown> | undefined)?.[name];
    const file = typeof path === "string" ? resolve(path) : "";
    if (!files.has(file)) return undefined;
    return (
      `${file} may hold this computer's own keys, and its agent does not keep them elsewhere: no tool reads it. ` +
      "Update the agent by installing it again"
    );
  }

  withoutKeys(key: string, method: string, answer: Answer): Answer {
    if (method !== "search-files" || !answer.ok || !this.#isOld(key)) return answer;
    const { matches } = (answer.result ?? {}) as { matches?: unknown };
    if (!Array.isArray(matches)) return answer;
    const shown = matches.filter((match) => !files.has(resolve(String(match?.path))));
    return { ...answer, result: { ...(answer.result as object), matches: shown } };
  }

  #isOld(key: string): boolean {
    const provider = this.#registry.session(key)?.provider;
    return (
      provider !== undefined && isComputer(provider) && !provider.features.includes(Feature.keys)
    );
  }
}

/** The file that the game opens for a path, in lower case because the host's disk may ignore case. */
function resolve(path: string): string {
  const encoded = /^base64:(.*)$/s.exec(path)?.[1];
  const text = encoded === undefined ? path : Buffer.from(encoded, "base64").toString("latin1");
  const parts: string[] = [];
  for (const part of text.toLowerCase().replaceAll("\\", "/").split("/")) {
    // Hosts drop dots and spaces at the end of a name.
    const name = part.trim() === ".." ? ".." : part.trim().replace(/[. ]+$/, "");
    if (name === "..") parts.pop();
    else if (name !== "") parts.push(name);
  }
  return `/${parts.join("/")}`;
}
