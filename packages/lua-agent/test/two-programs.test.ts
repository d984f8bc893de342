import { describe, expect, it } from "vitest";
import type { Link } from "./scripted-bridge.js";
import { type RunningAgent, startAgent } from "./start-agent.js";

// All programs of a computer see the events of all its sockets; only the URL distinguishes them.

/** Without tabs, as programs started at boot run: in parallel on one screen. */
const BOTH = `local url = ...
  local function run() shell.run("mcp-computer", url) end
  parallel.waitForAll(run, run)`;

const kinds = [
  ["in tabs", { advanced: true }, (url: string) => `bg mcp-computer ${url}\nmcp-computer ${url}\n`],
  ["without tabs", { files: { "/both.lua": BOTH } }, (url: string) => `both ${url}\n`],
] as const;

async function answers(link: Link): Promise<void> {
  expect(await link.request("ping")).toMatchObject({ ok: true });
}

async function staysAsItIs(agent: RunningAgent, links: readonly Link[]): Promise<void> {
  const known = agent.bridge.links.length;
  for (let beat = 0; beat < 4; beat++) {
    await agent.world.advance(15_000);
    for (const link of links) await answers(link);
  }
  expect(agent.bridge.links).toHaveLength(known);
  expect(agent.computer.stats.websocketsOpen).toBe(links.length);
}

describe.each(kinds)("two programs on one computer, %s", (_, computer, command) => {
  it("keep their own sockets, whatever happens to the other's", async () => {
    await using agent = await startAgent({ computer, command });
    const [first, second] = [await agent.link(1), await agent.link(2)];
    await staysAsItIs(agent, [first, second]);
    first.drop();
    await agent.world.advance(3_000);
    const third = await agent.link(3);
    await staysAsItIs(agent, [second, third]);
  });

  it("leave the newer one linked with a bridge that links a computer once", async () => {
    await using agent = await startAgent({ computer, command });
    const first = await agent.link(1);
    const second = await agent.link(2);
    first.close(4409, "the provider linked again");
    await first.until("close", () => first.closed);
    await staysAsItIs(agent, [second]);
  });
});

describe("a program that starts beside one that runs already", () => {
  it.each([
    ["in tabs", true],
    ["without tabs", false],
  ])("takes over from the one that starts at boot, %s", async (_name, advanced) => {
    await using agent = await startAgent({
      computer: { advanced },
      args: "--autostart",
    });
    const installed = await agent.link(1);
    await agent.shows("linked as");
    agent.computer.unload();
    agent.computer.load();
    const booted = await agent.link(2);
    await installed.until("close", () => installed.closed);
    await agent.world.advance(1_000);
    agent.computer.type(`mcp-computer ${agent.bridge.url}\n`);
    const typed = await agent.link(3);
    booted.close(4409, "the provider linked again");
    await booted.until("close", () => booted.closed);
    await staysAsItIs(agent, [typed]);
  });

  it("is not disturbed by version 0.1, which closes what is dialled with its own URL", async () => {
    const old = `local url = ...
      local prefix = url .. "/#"
      parallel.waitForAny(function() shell.run("mcp-computer", url) end, function()
        while true do
          local _, dialled, handle = os.pullEvent("websocket_success")
          if dialled:sub(1, #prefix) == prefix then handle.close() end
        end
      end)`;
    await using agent = await startAgent({
      computer: { files: { "/old.lua": old } },
      command: (url) => `old ${url}\n`,
    });
    await staysAsItIs(agent, [await agent.link(1)]);
  });
});
