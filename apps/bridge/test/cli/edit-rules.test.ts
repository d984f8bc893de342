import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import {
  allowAddresses,
  RefusedConfigError,
  removeAddresses,
  switchedOff,
} from "../../src/cli/allow/edit-rules.js";
import { anyRule, gameConfig, privateRule } from "./game-config.js";

const home = { host: "192.168.1.20", port: 3_001 };
const local = { host: "127.0.0.1", port: 3_001 };

function rulesOf(text: string): Record<string, unknown>[] {
  const { http } = parse(text.replace(/^\ufeff/, ""), { integersAsBigInt: "asNeeded" }) as {
    http: { rules: Record<string, unknown>[] };
  };
  return http.rules.map((rule) => ({ ...rule }));
}

describe("allowing", () => {
  it("puts a rule right before the one for $private, as the game would write it", () => {
    const { text, lines } = allowAddresses(gameConfig(), [home]);
    const added = `\t[[http.rules]]
\t\t#For ccbridge; \`ccbridge allow --remove\` takes this rule away.
\t\thost = "192.168.1.20"
\t\tport = 3001
\t\taction = "allow"

`;
    expect(text).toBe(gameConfig([`${added}${privateRule}`, anyRule]));
    expect(lines.join("\n")).toBe(added.slice(0, -1));
  });

  it("keeps the order of several addresses", () => {
    const { text } = allowAddresses(gameConfig(), [home, local]);
    expect(rulesOf(text).map(({ host }) => host)).toEqual([
      "192.168.1.20",
      "127.0.0.1",
      "$private",
      "*",
    ]);
  });

  it("does it once", () => {
    const once = allowAddresses(gameConfig(), [home, local]);
    expect(allowAddresses(once.text, [home, local])).toEqual({ text: once.text, lines: [] });
  });

  it("keeps line ends, byte order mark and a missing last line break", () => {
    const text = `\ufeff${gameConfig().trimEnd()}`.replaceAll("\n", "\r\n");
    const changed = allowAddresses(text, [home]).text;
    expect(changed.startsWith("\ufeff#The disk")).toBe(true);
    expect(changed.endsWith("modem_range = 64")).toBe(true);
    expect(changed.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(removeAddresses(changed, [home]).text).toBe(text);
  });

  it.each([
    ["there is no rule against private addresses", [anyRule], home],
    [
      "an earlier rule allows it",
      ['[[http.rules]]\nhost = "192.168.*"\naction = "allow"\n', privateRule],
      home,
    ],
    [
      "a range allows it",
      ['[[http.rules]]\nhost = "192.168.0.0/16"\naction = "ALLOW"\n', privateRule],
      home,
    ],
    ["the address is not private", [privateRule, anyRule], { host: "203.0.113.9", port: 3_001 }],
  ])("does nothing where %s", (_name, rules, address) => {
    expect(allowAddresses(gameConfig(rules), [address]).lines).toEqual([]);
  });

  it.each([
    ["allows another port", '[[http.rules]]\nhost = "192.168.1.20"\nport = 80\naction = "allow"\n'],
    ["only sets a limit", '[[http.rules]]\nhost = "*"\nmax_upload = 5\n'],
    ["allows another network", '[[http.rules]]\nhost = "10.0.0.0/8"\naction = "allow"\n'],
  ])("is not stopped by a rule that %s", (_name, rule) => {
    const { text } = allowAddresses(gameConfig([rule, privateRule, anyRule]), [home]);
    expect(rulesOf(text)[1]).toEqual({ ...home, action: "allow" });
    expect(rulesOf(text)[2]).toMatchObject({ host: "$private" });
  });

  it("puts the rule before the ranges that old versions deny one by one", () => {
    const range = (host: string) => `[[http.rules]]\nhost = "${host}"\naction = "deny"\n`;
    const old = gameConfig([range("127.0.0.0/8"), range("10.0.0.0/8"), range("192.168.0.0/16")]);
    expect(rulesOf(allowAddresses(old, [home]).text).map(({ host }) => host)).toEqual([
      "127.0.0.0/8",
      "10.0.0.0/8",
      "192.168.1.20",
      "192.168.0.0/16",
    ]);
  });

  it("puts the rule first where no rule fits, which denies", () => {
    const rules = ['[[http.rules]]\nhost = "*.example.org"\naction = "allow"\n'];
    expect(rulesOf(allowAddresses(gameConfig(rules), [home]).text)[0]).toMatchObject(home);
  });

  it("allows a name, whatever address it may have", () => {
    const address = { host: "bridge.example", port: 3_001 };
    const { text } = allowAddresses(gameConfig(), [address]);
    expect(rulesOf(text)[0]).toMatchObject(address);
  });
});

describe("refusing", () => {
  it.each([
    ["half a file", gameConfig().split("deny")[0] ?? "", /line \d+, column \d+ is not valid TOML/],
    ["a doubled key", `a = 1\na = 2\n${gameConfig()}`, /not valid TOML/],
    ["an empty file", "", /has no \[\[http\.rules\]\]/],
    ["a file without rules", "[http]\nenabled = true\n", /open the world once/],
    ["rules in one line", '[http]\nrules = [{ host = "*", action = "deny" }]\n', /by hand/],
    ["an empty list of rules", "[http]\nrules = []\n", /by hand/],
    ["rules that are not a list", "[http]\nrules = 5\n", /by hand/],
  ])("leaves %s alone", (_name, text, message) => {
    for (const change of [allowAddresses, removeAddresses]) {
      expect(() => change(text, [home])).toThrow(RefusedConfigError);
      expect(() => change(text, [home])).toThrow(message);
    }
  });

  it("does not separate one of our rules from the lines that belong to it", () => {
    const rule = '[[http.rules]]\nhost = "192.168.1.20"\nport = 3001\naction = "allow"\n';
    const text = gameConfig([privateRule, `${rule}[http.rules.more]\nx = 1\n`]);
    expect(removeAddresses(text, [home]).lines).toEqual([]);
    const marked = text.replace(
      '[[http.rules]]\nhost = "192',
      '[[http.rules]]\n#For ccbridge; `ccbridge allow --remove` takes this rule away.\nhost = "192',
    );
    expect(() => removeAddresses(marked, [home])).toThrow(RefusedConfigError);
  });
});

describe("taking back", () => {
  it("finds rules for an address that the bridge no longer has", () => {
    const { text } = allowAddresses(gameConfig(), [{ host: "192.168.1.99", port: 4_000 }]);
    expect(removeAddresses(text, [home]).text).toBe(gameConfig());
  });

  it("finds a rule that the game wrote again, in its own order and without our comment", () => {
    const rewritten =
      '\t[[http.rules]]\n\t\taction = "allow"\n\t\thost = "192.168.1.20"\n\t\tport = 3001\n';
    const text = gameConfig([rewritten, privateRule, anyRule]);
    expect(removeAddresses(text, [home]).text).toBe(gameConfig());
  });

  it("leaves the rules of others alone", () => {
    const other = '[[http.rules]]\nhost = "192.168.1.20"\nport = 80\naction = "allow"\n';
    const text = gameConfig([other, privateRule]);
    expect(removeAddresses(text, [home])).toEqual({ text, lines: [] });
  });
});

describe("switches", () => {
  it("are reported when they are off", () => {
    const text = gameConfig().replace("websocket_enabled = true", "websocket_enabled = false");
    expect(switchedOff(text)).toEqual(["websocket_enabled"]);
    expect(switchedOff(gameConfig())).toEqual([]);
  });
});

const indentation = fc.constantFrom("", "\t", "  ", "    ");
const comment = fc.constantFrom(
  "",
  "# [[http.rules]]",
  '#host = "$private"',
  "\t # \u00e9t\u00e9 \u{1f600}",
  "   ",
);
const trap = fc.constantFrom(
  'note = """\n[[http.rules]]\nhost = "$private" # not a comment\n"""',
  "note = '''\n[[http.rules]]\n'''''",
  'note = ["a", # ] [[http.rules]]\n  "b]",\n]',
  'note = "a \\" # [[http.rules]]"',
  "'no#te' = 'C:\\'",
  "note = [\n[1],\n[ 2, # two\n]]",
  'note = { a = "}", b = [1] }',
  "note = 9223372036854775807",
  "note = 1979-05-27T07:32:00Z",
);
const ruleHost = fc.constantFrom("$private", "*", "127.0.0.0/8", "10.*", "example.org");
const header = fc.constantFrom("[[http.rules]]", '[[ http . "rules" ]]', "[[http.rules]] # x");
const rule = fc
  .record({
    before: comment,
    header,
    outer: indentation,
    inner: indentation,
    host: ruleHost,
    action: fc.constantFrom("allow", "deny", "Deny"),
    between: comment,
    extra: fc.option(fc.constantFrom("max_upload = 5", 'x = """\n[[http.rules]]\n"""')),
    after: comment,
  })
  .map(({ before, header, outer, inner, host, action, between, extra, after }) =>
    [
      before,
      `${outer}${header}`,
      `${inner}host = "${host}"`,
      between,
      `${inner}action = '${action}'  # why`,
      ...(extra === null ? [] : [`${inner}${extra}`]),
      after,
    ].join("\n"),
  );
const config = fc
  .record({
    mark: fc.constantFrom("", "\ufeff"),
    top: trap,
    intro: comment,
    inHttp: trap,
    rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
    tail: fc.option(trap.map((text) => `[other]\n${text}`)),
    lineBreak: fc.constantFrom("\n", "\r\n"),
    lastBreak: fc.boolean(),
  })
  .map(({ mark, top, intro, inHttp, rules, tail, lineBreak, lastBreak }) => {
    const parts = [intro, top, "[http]", inHttp, ...rules, ...(tail === null ? [] : [tail])];
    const text = `${parts.join("\n")}${lastBreak ? "\n" : ""}`;
    return `${mark}${text.replaceAll("\n", lineBreak)}`;
  });
const addresses = fc.uniqueArray(
  fc.record({
    host: fc.constantFrom("127.0.0.1", "192.168.1.20", "10.0.0.7", "fd00::1", "bridge.example"),
    port: fc.constantFrom(3_001, 4_000),
  }),
  { minLength: 1, maxLength: 3, selector: ({ host, port }) => `${host} ${port}` },
);

describe("any configuration", () => {
  it("keeps everything else byte for byte: what was added is all that differs", () => {
    fc.assert(
      fc.property(config, addresses, (text, wanted) => {
        const { text: changed, lines } = allowAddresses(text, wanted);
        const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
        let rest = changed;
        for (let at = 0; at < lines.length; at += 6) {
          const block = lines
            .slice(at, at + 6)
            .map((line) => `${line}${lineBreak}`)
            .join("");
          const found = rest.indexOf(block);
          expect(found).toBeGreaterThanOrEqual(0);
          rest = `${rest.slice(0, found)}${rest.slice(found + block.length)}`;
        }
        expect(rest).toBe(text);
        expect(rulesOf(changed)).toHaveLength(rulesOf(text).length + lines.length / 6);
      }),
    );
  });

  it("is as it was after allowing and taking back", () => {
    fc.assert(
      fc.property(config, addresses, (text, wanted) => {
        const allowed = allowAddresses(text, wanted).text;
        expect(removeAddresses(allowed, wanted).text).toBe(text);
        expect(removeAddresses(allowed, []).text).toBe(text);
      }),
    );
  });

  it("is changed once", () => {
    fc.assert(
      fc.property(config, addresses, (text, wanted) => {
        const allowed = allowAddresses(text, wanted).text;
        expect(allowAddresses(allowed, wanted)).toEqual({ text: allowed, lines: [] });
      }),
    );
  });

  it("is refused or read, whatever is cut off", () => {
    fc.assert(
      fc.property(config, fc.nat(), (text, cut) => {
        const part = text.slice(0, cut % text.length);
        try {
          const { text: changed } = allowAddresses(part, [home]);
          expect(removeAddresses(changed, [home]).text).toBe(part);
        } catch (error) {
          expect(error).toBeInstanceOf(RefusedConfigError);
        }
      }),
    );
  });
});
