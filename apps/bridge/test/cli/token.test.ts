import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readTokenFile } from "../../src/auth/rights/token-file.js";
import { addToken } from "../../src/cli/token.js";
import { loadCommand } from "../../src/config/load.js";
import { scratchDirectory } from "../helpers/scratch.js";

function add(args: string[], file: string) {
  const command = loadCommand({ argv: ["token", "add", ...args], env: { MCP_TOKENS_FILE: file } });
  if (command.action !== "token") throw new Error(command.action);
  let text = "";
  const context = {
    machine: { platform: "linux" },
    print(more: string) {
      text += more;
    },
  } as never;
  return {
    code: addToken({ ...command, command: ["node", "/main.js"] }, context),
    text: () => text,
  };
}

it("makes the file, adds a line, and prints the configuration of the client with its token", () => {
  const file = join(scratchDirectory(), "tokens");
  const { code, text } = add(
    ["--name", "alice", "--mode", "look", "--computers", "label:main base"],
    file,
  );
  expect(code).toBe(0);
  const { lines, problems } = readTokenFile(file);
  expect(problems).toEqual([]);
  expect(lines).toMatchObject([
    {
      client: { name: "alice", rights: { mode: "look", computers: { only: ["label:main base"] } } },
    },
  ]);
  const token = lines[0]?.token ?? "";
  expect(token.length).toBeGreaterThanOrEqual(32);
  expect(text()).toContain(`--header "Authorization: Bearer ${token}"`);
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, "one-token name=bob");
  expect(add([], file).code).toBe(0);
  expect(readTokenFile(file).lines.map(({ client }) => client.name)).toEqual(["bob", "line-2"]);
});

it("adds no token with a name that another one has", () => {
  const file = join(scratchDirectory(), "tokens");
  writeFileSync(file, "# people\none-token name=alice\n");
  const { code, text } = add(["--name", "alice"], file);
  expect(code).toBe(1);
  expect(text()).toContain("line 3: the name of line 2 again");
  expect(readFileSync(file, "utf8")).toBe("# people\none-token name=alice\n");
});

it("changes nothing in a file that cannot be used", () => {
  const file = join(scratchDirectory(), "tokens");
  writeFileSync(file, "one-token mode=god\n");
  const { code, text } = add([], file);
  expect(code).toBe(1);
  expect(text()).toContain("line 1: mode= must be one of");
  expect(readFileSync(file, "utf8")).toBe("one-token mode=god\n");
});

it.each([
  [["token"], "token is followed by add"],
  [["token", "add", "--mode", "god"], "--mode must be one of look, ask, all"],
  [["token", "add", "--client", "word"], "--client must be one of"],
])("says what is wrong with %j", (argv, problem) => {
  expect(() => loadCommand({ argv, env: { MCP_TOKENS_FILE: "/tmp/t" } })).toThrow(problem);
  expect(() => loadCommand({ argv: ["token", "add"], env: {} })).toThrow(
    "MCP_TOKENS_FILE says where",
  );
});
