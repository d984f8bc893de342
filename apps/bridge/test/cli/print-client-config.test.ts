import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { programCommand } from "../../src/cli/context.js";
import { printClientConfig } from "../../src/cli/print-client-config.js";
import { loadCommand } from "../../src/config/load.js";
import { scratchFile } from "../helpers/scratch.js";

const lines = `everything-token name=boss
guest-token name=guest mode=look computers=label:farm-*
careful-token name=helper mode=ask
`;

function run(argv: string[], env: Record<string, string> = {}, platform = "linux") {
  const command = loadCommand({ argv: ["--print-client-config", ...argv], env });
  if (command.action !== "print-client-config") throw new Error(command.action);
  const printed = { stdout: "", stderr: "" };
  const context = {
    machine: { platform },
    program: "ccbridge",
    print: (text: string) => {
      printed.stdout += text;
    },
    complain: (text: string) => {
      printed.stderr += text;
    },
  } as never;
  const code = printClientConfig({ ...command, command: ["node", "/main.js"] }, context);
  return { code, ...printed };
}

describe("--print-client-config", () => {
  it.each([
    [["cursor", "--mode", "look"], "guest-token", "guest (mode look)"],
    [["cursor", "--mode", "ask"], "careful-token", "helper (mode ask)"],
    [["cursor", "--name", "guest"], "guest-token", "guest (mode look)"],
    [["cursor", "--mode", "all"], "in-environment", "token-1 (mode all)"],
    [["cursor"], "in-environment", "token-1 (mode all)"],
  ])("%j prints the token with these rights, and no other", (argv, token, whose) => {
    const env = { MCP_TOKENS: "in-environment", MCP_TOKENS_FILE: scratchFile(lines) };
    const { code, stdout, stderr } = run(argv, env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).mcpServers.ccbridge.headers.Authorization).toBe(`Bearer ${token}`);
    expect(stderr).toBe(fill(texts.forCursorInCursorMcp, whose));
  });

  it("gives a program that the client starts only the token that was asked for", () => {
    const env = { MCP_TOKENS: "in-environment", MCP_TOKENS_FILE: scratchFile(lines) };
    const { stdout } = run(["claude-desktop", "--mode", "look"], env);
    expect(JSON.parse(stdout).mcpServers.ccbridge.env.MCP_TOKENS).toBe("guest-token");
    expect(stdout).not.toContain("in-environment");
  });

  it("names what there is when no token fits, and the command that makes one", () => {
    const env = { MCP_TOKENS_FILE: scratchFile(lines) };
    expect(run(["codex", "--name", "guest", "--mode", "all"], env)).toEqual({
      code: 1,
      stdout: "",
      stderr: texts.noTokenFitsNameGuest,
    });
    expect(run(["codex", "--mode", "look"]).stderr).toContain(texts.theBridgeHasNo);
  });

  it.each([
    ["darwin", "Library/Application Support/Claude"],
    ["win32", "%APPDATA%\\Claude"],
    ["linux", ".config/Claude"],
  ])("names the file as it is called on %s", (platform, folder) => {
    expect(run(["claude-desktop"], {}, platform).stderr).toContain(
      `${folder}${platform === "win32" ? "\\" : "/"}claude_desktop_config.json`,
    );
  });

  it("alone takes --name and --mode, besides token add", () => {
    expect(() => loadCommand({ argv: ["--mode", "look"], env: {} })).toThrow(
      texts.modeBelongsToPrintClient,
    );
  });
});

describe("the command with which a client starts the bridge", () => {
  const npx = { npm_command: "exec", npm_lifecycle_script: "'ccbridge'" };

  it.each([
    [{}, "linux", ["node", "/main.js"]],
    // npx deletes its copies, so their paths are of no use in a file.
    [npx, "linux", ["npx", "-y", "ccbridge"]],
    [npx, "win32", ["cmd", "/c", "npx", "-y", "ccbridge"]],
    [{ ...npx, npm_lifecycle_script: 'ccbridge "--stdio"' }, "linux", ["npx", "-y", "ccbridge"]],
    [{ ...npx, npm_lifecycle_script: "'vitest' run ccbridge" }, "linux", ["node", "/main.js"]],
  ] as const)("%j on %s", (env, platform, command) => {
    expect(programCommand("/main.js", env, platform)).toEqual(command);
  });
});
