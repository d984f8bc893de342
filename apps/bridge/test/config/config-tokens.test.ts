import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { scratchDirectory, scratchFile } from "../helpers/scratch.js";
import { config, type Env, problems } from "./helpers.js";

describe("tokens", () => {
  it("come from the list and from the file", () => {
    const file = scratchFile("# the team\r\nalice-1\r\n\r\n  bob-2  \n#carol\n");
    expect(config([], { MCP_TOKENS: "zero", MCP_TOKENS_FILE: file }).mcpTokens).toEqual([
      "zero",
      "alice-1",
      "bob-2",
    ]);
    expect(config(["--cc-link-tokens-file", file]).linkTokens).toEqual(["alice-1", "bob-2"]);
  });

  it("come from a file that starts with a byte order mark", () => {
    expect(config(["--mcp-tokens-file", scratchFile("\ufeffsecret\n")]).mcpTokens).toEqual([
      "secret",
    ]);
  });

  it("must be there when a list was meant, so that the bridge is not open by mistake", () => {
    expect(problems([], { MCP_TOKENS: " , ," })).toEqual(["MCP_TOKENS holds no token"]);
  });

  it("must be in the file when there is one", () => {
    const file = scratchFile("# none yet\n\n");
    expect(problems([], { MCP_TOKENS_FILE: file })).toEqual([
      `MCP_TOKENS_FILE: ${file} holds no token`,
    ]);
  });

  it("need a file that can be read", () => {
    const directory = scratchDirectory();
    const missing = join(directory, "none");
    expect(problems([], { CC_LINK_TOKENS_FILE: missing })).toEqual([
      fill(texts.ccLinkTokensFileCannot, missing),
    ]);
    expect(problems([], { CC_LINK_TOKENS_FILE: directory })[0]).toContain("EISDIR");
  });

  it.each<{ what: string; argv?: string[]; env?: Env; file?: string }>([
    { what: "a list with spaces", env: { MCP_TOKENS: "good,hush hush" } },
    { what: "a flag with an umlaut", argv: ["--cc-link-tokens", "hush\u00fc"] },
    { what: "a file with spaces", file: "hush hush\n" },
    { what: "a file with commas", file: "good,hush\n" },
    { what: "a value after a mistyped flag", argv: ["--mcp-token", "hush"] },
    { what: "a value in a mistyped flag", argv: ["--mcp-token=hush"] },
    { what: "a second value", argv: ["--mcp-tokens", "good", "hush"] },
  ])("are not shown in the problem of $what", ({ argv = [], env = {}, file }) => {
    const extra = file === undefined ? {} : { MCP_TOKENS_FILE: scratchFile(file) };
    const found = problems(argv, { ...env, ...extra });
    expect(found).toHaveLength(1);
    expect(found.join()).not.toContain("hush");
    expect(found.join()).not.toContain("good");
  });
});
