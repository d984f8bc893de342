import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { readTokenFile } from "../../src/auth/rights/token-file.js";
import { token } from "../../src/cli/token.js";
import { loadCommand } from "../../src/config/load.js";
import { scratchDirectory } from "../helpers/scratch.js";

const isRoot = process.getuid?.() === 0;

function run(args: string[], env: Record<string, string>, home = "/nowhere") {
  const command = loadCommand({ argv: ["token", ...args], env });
  if (command.action !== "token") throw new Error(command.action);
  let text = "";
  const context = {
    program: "ccbridge",
    machine: { home, platform: "linux" },
    print(more: string) {
      text += more;
    },
  } as never;
  const code = token({ ...command, command: ["node", "/main.js"] }, context);
  return { code, text };
}

const inFile = (file: string) => ({ MCP_TOKENS_FILE: file });

describe("token add", () => {
  it("makes the file, adds a line, and prints the configuration of the client with its token", () => {
    const file = join(scratchDirectory(), "tokens");
    const { code, text } = run(
      ["add", "--name", "alice", "--mode", "look", "--computers", "label:main base"],
      inFile(file),
    );
    expect(code).toBe(0);
    const { lines, problems } = readTokenFile(file);
    expect(problems).toEqual([]);
    expect(lines).toMatchObject([
      {
        client: {
          name: "alice",
          rights: { mode: "look", computers: { only: ["label:main base"] } },
        },
      },
    ]);
    const secret = lines[0]?.token ?? "";
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(text).toContain(`--header "Authorization: Bearer ${secret}"`);
    expect(text).toContain("Restart the bridge");
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    // A last line without a line break is kept.
    writeFileSync(file, "one-token name=bob");
    const again = run(["add"], inFile(file));
    expect(again.code).toBe(0);
    expect(again.text).not.toContain("Restart the bridge");
    expect(readTokenFile(file).lines.map(({ client }) => client.name)).toEqual(["bob", "line-2"]);
  });

  it("works without any setting, in a file of the home folder that the bridge then reads", () => {
    const home = scratchDirectory();
    const file = join(home, ".ccbridge", "mcp-tokens");
    expect(run(["add", "--name", "me"], {}, home).code).toBe(0);
    const command = loadCommand({ argv: [], env: {}, home });
    expect(command).toMatchObject({ config: { mcpTokensFile: file } });
    expect(loadCommand({ argv: [], env: {}, home: scratchDirectory() })).toMatchObject({
      config: { mcpTokensFile: "" },
    });
  });

  it("works beside settings of a service that it cannot use", () => {
    const file = join(scratchDirectory(), "tokens");
    const env = {
      ...inFile(file),
      CC_LINK_TOKENS_FILE: "/nowhere/link-tokens",
      CC_LINK_PORT: "many",
      MCP_ALLOWED_HOSTS: "*",
    };
    expect(run(["add", "--name", "alice"], env).code).toBe(0);
    expect(() => loadCommand({ argv: [], env })).toThrow("CC_LINK_PORT");
  });

  it("adds no token with a name that another one has", () => {
    const file = join(scratchDirectory(), "tokens");
    writeFileSync(file, "# people\none-token name=alice\n");
    const { code, text } = run(["add", "--name", "alice"], inFile(file));
    expect(code).toBe(1);
    expect(text).toContain("line 3: the name of line 2 again");
    expect(readFileSync(file, "utf8")).toBe("# people\none-token name=alice\n");
  });

  it("adds no token that has ended already", () => {
    const file = join(scratchDirectory(), "tokens");
    expect(() => run(["add", "--name", "alice", "--until", "2020-01-31"], inFile(file))).toThrow(
      "in the future",
    );
    expect(existsSync(file)).toBe(false);
  });

  it("changes nothing in a file that cannot be used", () => {
    const file = join(scratchDirectory(), "tokens");
    writeFileSync(file, "one-token mode=god\n");
    const { code, text } = run(["add"], inFile(file));
    expect(code).toBe(1);
    expect(text).toContain(texts.lineModeMustBe);
    expect(readFileSync(file, "utf8")).toBe("one-token mode=god\n");
  });
});

it("token remove takes one line out, token rotate replaces one token and keeps its rights", () => {
  const file = join(scratchDirectory(), "tokens");
  writeFileSync(file, "# people\n  old-a name=alice mode=ask\nold-b name=bob\nold-c\n");
  const rotated = run(["rotate", "alice"], inFile(file));
  expect(rotated.code).toBe(0);
  const [alice] = readTokenFile(file).lines;
  expect(alice).toMatchObject({ words: "name=alice mode=ask" });
  expect(alice?.token).not.toBe("old-a");
  expect(rotated.text).toContain(`Bearer ${alice?.token}`);
  expect(run(["remove", "bob"], inFile(file)).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(
    `# people\n  ${alice?.token} name=alice mode=ask\nold-c\n`,
  );
  // By its default name.
  expect(run(["remove", "line-3"], inFile(file)).code).toBe(0);
  const last = run(["remove", "alice"], inFile(file));
  expect(last).toEqual({ code: 1, text: expect.stringContaining("holds no token") });
  expect(run(["remove", "carol"], inFile(file)).text).toContain(texts.noTokenWithThe);
  expect(readTokenFile(file).lines).toHaveLength(1);
});

it("token list shows names and rights, and no token", () => {
  const file = join(scratchDirectory(), "tokens");
  expect(run(["list"], inFile(file))).toEqual({
    code: 1,
    text: expect.stringContaining(texts.ccbridgeTokenAddName),
  });
  writeFileSync(file, "secret-a name=alice mode=ask until=2027-01-31\nsecret-b name=bob\n");
  const { code, text } = run(["list"], inFile(file));
  expect(code).toBe(0);
  expect(text).toMatch(/alice +mode=ask until=2027-01-31\n {2}bob +everything\n/);
  expect(text).not.toContain("secret");
});

describe.skipIf(process.platform === "win32")("the file", () => {
  it.each([["add"], ["remove", "bob"], ["rotate", "bob"]])(
    "keeps its mode: token %s",
    (...args) => {
      const file = join(scratchDirectory(), "tokens");
      writeFileSync(file, "one name=alice\ntwo name=bob\n");
      chmodSync(file, 0o640);
      expect(run(args, inFile(file)).code).toBe(0);
      expect(statSync(file).mode & 0o777).toBe(0o640);
    },
  );

  it("stays behind the link through which it is changed, and nothing is left beside it", () => {
    const folder = scratchDirectory();
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real/tokens"), "one name=alice\ntwo name=bob\n");
    symlinkSync("real/tokens", join(folder, "link"));
    expect(run(["remove", "bob"], inFile(join(folder, "link"))).code).toBe(0);
    expect(readFileSync(join(folder, "real/tokens"), "utf8")).toBe("one name=alice\n");
    expect(readdirSync(join(folder, "real"))).toEqual(["tokens"]);
  });

  it.skipIf(!isRoot)(
    "keeps its owner when root changes it, and a new one gets the folder's",
    () => {
      const folder = scratchDirectory();
      chownSync(folder, 12_345, 12_346);
      const file = join(folder, "tokens");
      expect(run(["add", "--name", "alice"], inFile(file)).code).toBe(0);
      expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_346 });
      chownSync(file, 0, 12_346);
      chmodSync(file, 0o640);
      expect(run(["add", "--name", "bob"], inFile(file)).code).toBe(0);
      expect(run(["rotate", "alice"], inFile(file)).code).toBe(0);
      expect(statSync(file)).toMatchObject({ uid: 0, gid: 12_346 });
      expect(existsSync(`${file}.new`)).toBe(false);
    },
  );
});

it.each([
  [["token"], "say list, add, remove NAME or rotate NAME"],
  [["token", "remvoe", "x"], "did you mean remove?"],
  [["token", "remove"], "followed by the name of one token"],
  [["token", "add", "alice"], "takes no name"],
  [["token", "add", "--mode", "god"], "--mode must be one of look, ask, all"],
  [["token", "add", "--until", "2027-02-30"], "--until must be a date such as 2027-01-31"],
  [["token", "add", "--client", "cursr"], "did you mean cursor?"],
])("says what is wrong with %j", (argv, problem) => {
  expect(() => loadCommand({ argv, env: {} })).toThrow(problem);
  expect(() => loadCommand({ argv, env: {} })).toThrow("ccbridge token cannot run");
});
