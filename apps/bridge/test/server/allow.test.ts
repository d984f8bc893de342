// `allow=` on the line of a token: what one client may do on Minecraft servers although the setting
// excludes it.
import { toolNames } from "@ccbridge/protocol/minecraft";
import { describe, expect, it } from "vitest";
import { startWithTokens } from "../calls/helpers.js";
import { FakeMod } from "./fake-mod.js";
import { connect, token } from "./helpers.js";

const acting = {
  teleport_player: { player: "Steve", x: 1, y: 2, z: 3 },
  give_item: { player: "Steve", item: "stone", quantity: 1 },
} as const;
type Acting = keyof typeof acting;
const actingNames = Object.keys(acting) as Acting[];

const clients = [false, true].flatMap((granted) =>
  [false, true].flatMap((denied) =>
    ["look", "all"].map((mode) => ({
      granted,
      denied,
      mode,
      name: `${granted}-${denied}-${mode}`,
    })),
  ),
);

function lineOf({ granted, denied, mode, name }: (typeof clients)[number], tool: Acting): string {
  const allow = granted ? ` allow=${tool}` : "";
  const tools = denied ? ` tools=-${tool}` : "";
  return `t-${name} name=${name} mode=${mode}${tools}${allow}\n`;
}

type Tokens = Awaited<ReturnType<typeof startWithTokens>>;

async function linkServers({ linkUrl, registry }: Tokens, off: string) {
  const url = `${linkUrl}/minecraft`;
  const willing = await FakeMod.dial({ url, token, name: "willing", hello: {} });
  const tools = toolNames.filter((name) => name !== off);
  const hello = { capabilities: { tools, events: [], notes: {} } };
  const strict = await FakeMod.dial({ url, token, name: "strict", hello });
  const answer = (name: string) =>
    name === off
      ? { success: false, error: { code: "PERMISSION_DENIED", message: "not here" } }
      : { success: true };
  const silent = await FakeMod.dial({ url, token, name: "silent", hello: {}, answer });
  await expect.poll(() => registry.size).toBe(3);
  return { willing, strict, silent };
}

const combinations = actingNames.flatMap((tool) =>
  [false, true].flatMap((setting) =>
    [false, true].map((readOnly) => ({ tool, setting, readOnly })),
  ),
);

describe("allow= in the line of a token", () => {
  it.each(combinations)(
    "adds to the setting and never overrules anything else: $tool, in MINECRAFT_TOOLS $setting, CC_READ_ONLY $readOnly",
    async ({ tool, setting, readOnly }) => {
      const bridge = await startWithTokens(clients.map((client) => lineOf(client, tool)).join(""), {
        minecraftTokens: [token],
        minecraftTools: setting ? [tool] : [],
        readOnly,
      });
      const servers = await linkServers(bridge, tool);
      for (const { granted, denied, mode, name } of clients) {
        const { call } = await connect(bridge, `t-${name}`);
        const isBarred = readOnly || denied || mode === "look";
        const may = (setting || granted) && !isBarred;
        for (const [server, mod] of Object.entries(servers)) {
          const before = mod.requests.length;
          const { isError, text } = await call(tool, { server, ...acting[tool] });
          const where = `${name} on ${server}: ${text}`;
          expect(isError !== true, where).toBe(may && server === "willing");
          expect(mod.requests.length - before, where).toBe(may && server !== "strict" ? 1 : 0);
          if (isBarred) expect(text, where).toMatch(/is read-only|does not allow/);
          else if (!may) expect(text, where).toMatch(/PERMISSION_DENIED.*MINECRAFT_TOOLS.*allow=/s);
          else if (server === "strict") expect(text, where).toContain(`cannot do ${tool}`);
          else if (server === "silent") expect(text, where).toMatch(/PERMISSION_DENIED.*not here/s);
        }
      }
    },
  );

  it("allows what it names and nothing else, and list-servers shows each client its own rights", async () => {
    const bridge = await startWithTokens(
      "t-ann name=ann allow=give_item\nt-bob name=bob\n" +
        "t-eve name=eve allow=teleport_player,give_item,set_blocks,fill_blocks\n",
      { minecraftTokens: [token] },
    );
    await linkServers(bridge, "none");
    const off = async (who: string) => {
      const { call } = await connect(bridge, who);
      const { text } = await call("list-servers");
      return /switched off on this bridge for this client: (.*)/.exec(text)?.[1] ?? "nothing";
    };
    expect(await off("t-ann")).toBe("teleport_player");
    expect(await off("t-bob")).toBe("teleport_player, give_item");
    expect(await off("t-eve")).toBe("nothing");
    const { call } = await connect(bridge, "t-ann");
    const { text } = await call("teleport_player", {
      server: "willing",
      ...acting.teleport_player,
    });
    expect(text).toContain("PERMISSION_DENIED: teleport_player is switched off");
    expect(
      (await call("execute_command", { server: "willing", command: "give Steve stone 1" })).text,
    ).toContain("INVALID_COMMAND");
  });

  it("ends at once when its line is removed", async () => {
    const bridge = await startWithTokens("t-ann name=ann allow=give_item\n", {
      minecraftTokens: [token],
    });
    const { willing } = await linkServers(bridge, "none");
    const give = { server: "willing", ...acting.give_item };
    const before = await connect(bridge, "t-ann");
    expect((await before.call("give_item", give)).isError).toBeUndefined();
    bridge.write("t-ann name=ann\n");
    bridge.reload();
    await expect(before.call("give_item", give)).rejects.toThrow();
    const after = await connect(bridge, "t-ann");
    expect((await after.call("give_item", give)).text).toContain("PERMISSION_DENIED");
    expect(willing.requests).toHaveLength(1);
  });
});
