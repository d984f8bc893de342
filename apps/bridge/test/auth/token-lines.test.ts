import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { readTokenFile } from "../../src/auth/rights/token-file.js";
import { readTokenLine } from "../../src/auth/rights/token-line.js";
import { scratchDirectory } from "../helpers/scratch.js";

const read = (line: string) => readTokenLine(line, "line-1");

describe("a line with a token", () => {
  it("without rights allows everything", () => {
    expect(read("s3cret")).toEqual({
      token: "s3cret",
      client: { name: "line-1", rights: { mode: "all" } },
      words: "",
      isNamed: false,
    });
  });

  it("accepts every right of the format", () => {
    const line =
      's3cret name=alice mode=look tools=core,files,-exec-lua computers="12,label:Main base,world:survival" allow=teleport_player,give_item rate=300/min quota=5/day';
    expect(read(line)).toMatchObject({
      token: "s3cret",
      client: {
        name: "alice",
        rights: {
          mode: "look",
          tools: { only: ["core", "files"], never: ["exec-lua"] },
          computers: { only: ["12", "label:Main base", "world:survival"], never: [] },
          allow: ["teleport_player", "give_item"],
          rate: { count: 300, perMs: 60_000 },
          quota: { count: 5, perMs: 86_400_000 },
        },
      },
    });
  });

  it.each([
    ["s3cret mode=write", "mode= must be one of look, ask, all"],
    ["s3cret mode=look mode=all", "mode= comes twice"],
    [
      "s3cret tools=exec-lau",
      'tools= names "exec-lau", which is neither a tool nor a group of tools; did you mean exec-lua?',
    ],
    ["s3cret tools=core,,files", "tools= holds an empty entry"],
    ["s3cret tools=offered:", 'tools= names "offered:"'],
    ["s3cret computers=base", 'computers= names "base", which is not a computer'],
    [
      "s3cret allow=give_items",
      'allow= names "give_items", which is not a tool of Minecraft servers; did you mean give_item?',
    ],
    [
      "s3cret allow=exec-lua",
      'allow= names "exec-lua", which is not a tool of Minecraft servers; write send_message',
    ],
    ["s3cret allow=execute_command", "allow= cannot hold execute_command: MINECRAFT_COMMANDS says"],
    ["s3cret allow=", "allow= holds an empty entry"],
    ["s3cret rate=fast", "rate= must be a count and a time such as 300/min"],
    ["s3cret rate=0/min", "rate= must be a count"],
    ["s3cret name=", "name= must be 1 to 64 letters"],
    [
      "s3cret colour=red",
      "only name=, mode=, tools=, computers=, allow=, rate=, quota=, until= may follow",
    ],
    ["a,b", "the token must be printable ASCII without commas"],
    ["tökén", "the token must be printable ASCII without commas"],
  ])("says what is wrong with %j", (line, problem) => {
    expect(read(line)).toContain(problem);
  });

  it("never repeats what may be a part of a token", () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9+/]{16,40}$/);
    fc.assert(
      fc.property(secret, secret, (token, more) => {
        const problem = read(`${token} ${more}`);
        expect(problem).toBeTypeOf("string");
        expect(problem).not.toContain(token);
        expect(problem).not.toContain(more);
      }),
    );
  });
});

describe("a file with tokens", () => {
  function file(content: string) {
    const path = join(scratchDirectory(), "tokens");
    writeFileSync(path, content);
    return { path, ...readTokenFile(path) };
  }

  it("names each bad line by its number", () => {
    const { path, problems } = file(
      "\ufeff# people\r\n\r\ngood\r\nbad mode=x\r\ngood name=twice\r\n",
    );
    expect(problems).toEqual([
      fill(texts.lineModeMustBeOne, path),
      fill(texts.lineTheTokenOf, path),
    ]);
  });

  it("gives no two tokens one name", () => {
    const { path, problems } = file(
      "s3cret-1 name=alice\ns3cret-2 name=bob\ns3cret-3 name=alice mode=look\n",
    );
    expect(problems).toEqual([fill(texts.lineTheNameOfLine, path)]);
    expect(file("s3cret-1 name=line-2\ns3cret-2\n").problems).toEqual([
      expect.stringMatching(/, line 2: the name of line 1 again/),
    ]);
    expect(file("s3cret-1 name=Alice\ns3cret-2 name=alice\n").problems).toEqual([]);
  });

  it("must hold a token", () => {
    const { path, problems } = file("# nobody\n");
    expect(problems).toEqual([`${path} holds no token`]);
  });

  it("that is not there is a problem, not an exception", () => {
    expect(readTokenFile("/nonexistent/tokens").problems).toEqual([
      expect.stringContaining("/nonexistent/tokens"),
    ]);
  });
});
