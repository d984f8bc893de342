import { describe, expect, it } from "vitest";
import type { Link } from "./scripted-bridge.js";
import { type RunningAgent, screenText, startAgent } from "./start-agent.js";

async function answers(link: Link): Promise<void> {
  expect(await link.request("ping")).toMatchObject({ ok: true });
}

async function staysUnchanged(agent: RunningAgent, links: readonly Link[]): Promise<void> {
  const known = agent.bridge.links.length;
  for (let beat = 0; beat < 4; beat++) {
    await agent.world.advance(15_000);
    for (const link of links) await answers(link);
  }
  expect(agent.bridge.links).toHaveLength(known);
  expect(agent.computer.stats.websocketsOpen).toBe(links.length);
}

const kinds = [
  ["in tabs", { advanced: true }, (url: string) => `bg mcp-computer ${url}\n`],
  [
    "without tabs",
    {
      files: {
        "/beside.lua": `local url = ...
          parallel.waitForAny(function() shell.run("mcp-computer", url, "--background")
            while true do os.pullEventRaw("never") end end, function() shell.run("shell") end)`,
      },
    },
    (url: string) => `beside ${url}\n`,
  ],
] as const;

describe.each(kinds)("a second start, %s", (_, computer, command) => {
  it("finds the first, and leaves it alone unless asked to restart it", async () => {
    await using agent = await startAgent({ computer, command });
    const first = await agent.link(1);
    await answers(first);
    await agent.prompt();
    agent.computer.type(`mcp-computer ${agent.bridge.url}\n`);
    await agent.shows(`mcp-computer runs already: linked to ${agent.bridge.url} as 12`);
    await agent.shows("Restart it? [y/N]");
    agent.computer.type("\n");
    await agent.computer.idle();
    await agent.prompt();
    await staysUnchanged(agent, [first]);
    agent.computer.type(`clear\nmcp-computer ${agent.bridge.url}\n`);
    await agent.shows("Restart it? [y/N]");
    agent.computer.type("y\n");
    for (let tick = 0; tick < 20 && agent.bridge.links.length < 2; tick++) {
      await agent.world.advance(100);
    }
    const second = await agent.link(2);
    await first.until("close", () => first.closed);
    await staysUnchanged(agent, [second]);
  });

  it("gets the truth from status and stop", async () => {
    await using agent = await startAgent({ computer, command });
    const first = await agent.link(1);
    await agent.prompt();
    agent.computer.type("clear\nmcp-computer stop\n");
    await agent.computer.idle();
    await agent.world.advance(500);
    await agent.shows("mcp-computer stopped.");
    await first.until("close", () => first.closed);
    agent.computer.type("clear\nmcp-computer status\nmcp-computer stop\n");
    await agent.shows("> mcp-computer status mcp-computer is not running. bridge:");
    await agent.shows("> mcp-computer stop mcp-computer is not running.");
  });
});

it("does not believe the mark of a program that was killed", async () => {
  await using agent = await startAgent({
    computer: {
      files: {
        "/kill.lua": `local url = ...
          parallel.waitForAny(function() shell.run("mcp-computer", url) end,
          function() os.pullEvent("websocket_message") sleep(0.5) end)`,
      },
    },
    command: (url) => `kill ${url}\n`,
  });
  await agent.link(1);
  await agent.world.advance(1_000);
  await agent.shows(/> ?$/);
  agent.computer.type(`clear\nmcp-computer ${agent.bridge.url}\n`);
  await agent.computer.idle();
  await agent.world.advance(1_100);
  await answers(await agent.link(2));
});

it("inside a shared prompt, a second program says that one runs", async () => {
  await using agent = await startAgent({ command: (url) => `mcp-computer ${url} share\n` });
  const link = await agent.link(1);
  await answers(link);
  await agent.prompt();
  agent.computer.type(`mcp-computer ${agent.bridge.url}\n`);
  await agent.shows("mcp-computer runs already: linked to");
  await agent.shows("This prompt runs inside it. To start another one: mcp-computer stop");
  await answers(link);
  expect(screenText(agent.computer)).not.toContain("[y/N]");
  agent.computer.type("clear\nmcp-computer --uninstall\n");
  await agent.shows("First type: mcp-computer stop");
  expect(agent.computer.fs.exists("/mcp-computer.lua")).toBe(true);
  agent.computer.type("mcp-computer stop\n");
  await link.until("close", () => link.closed);
  await agent.shows("mcp-computer stopped.");
});

it("a job cannot start a second program, and no question waits for an answer", async () => {
  await using agent = await startAgent();
  const link = await agent.link(1);
  const job = link.request("run-program", { command: `mcp-computer ${agent.bridge.url}` });
  expect(await job).toMatchObject({
    ok: false,
    error: expect.stringContaining("runs inside it"),
  });
  await staysUnchanged(agent, [link]);
});

it("Ctrl+T while it dials leaves no socket behind, so that it starts again at once", async () => {
  await using agent = await startAgent({
    computer: {
      files: {
        "/again.lua": `local url = ...
          for i = 1, 12 do
            parallel.waitForAny(function() shell.run("mcp-computer", url) end, function()
              os.queueEvent("go") os.pullEvent("go") os.queueEvent("terminate")
              while true do os.pullEventRaw() end
            end)
          end
          shell.run("mcp-computer", url)`,
      },
    },
    command: (url) => `again ${url}\n`,
  });
  await agent.shows("linked as");
  await agent.computer.until(({ stats }) => stats.websocketsOpen === 1);
  expect(screenText(agent.computer)).not.toContain("limit of WebSockets");
});

it("waits only a second for a socket when all are taken", async () => {
  await using agent = await startAgent({
    computer: {
      files: {
        "/run.lua": `local sockets, url = {}, ...
          for i = 1, 4 do sockets[i] = assert(http.websocket(url .. "/#own" .. i)) end
          parallel.waitForAny(function() shell.run("mcp-computer", url) end, function()
            sleep(10) sockets[1].close() while true do os.pullEventRaw() end
          end)`,
      },
    },
    command: (url) => `run ${url}\n`,
  });
  await agent.shows("This computer has reached its limit of WebSockets.");
  await agent.world.advance(11_100);
  await agent.shows("linked as");
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
  await staysUnchanged(agent, [await agent.link(1)]);
});
