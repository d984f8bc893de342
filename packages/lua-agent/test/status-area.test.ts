import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { greet } from "./scripted-bridge.js";
import { type RunningAgent, screenText, startAgent } from "./start-agent.js";

const sizes = [
  ["51x19", { kind: "computer", advanced: true }],
  ["39x13", { kind: "turtle", advanced: true }],
  ["26x20", { kind: "pocket", advanced: true }],
] as const;

const GREEN = "d";
const RED = "e";
const YELLOW = "4";
const GREY = "8";

function colourOf({ computer: { screen } }: RunningAgent, text: string): string | undefined {
  const row = screen.lines().findIndex((line) => line.trimStart().startsWith(text)) + 1;
  return row === 0 ? undefined : screen.line(row).foreground.trim()[text.length - 1];
}

const denied = { httpRules: [{ host: "$private", action: "deny" as const }] };

describe.each(sizes)("on a screen of %s", (size, computer) => {
  it("shows who is linked, what the AI does and the last problem, until it is resolved", async () => {
    await using agent = await startAgent({ computer });
    const link = await agent.link();
    await agent.shows("waiting for requests... Press Ctrl+T to stop.");
    expect(colourOf(agent, "linked as")).toBe(GREEN);
    expect(colourOf(agent, "Anyone who controls")).toBe(GREY);
    const job = link.send("exec-lua", { code: "sleep(1000)" });
    await agent.shows("1 job running: exec-lua");
    await link.exec("error('a bad thing')");
    await agent.shows(/last problem at \d\d:\d\d: exec-lua:1: a bad thing/);
    expect(colourOf(agent, "last problem")).toBe(RED);
    await link.exec("return 1");
    await agent.computer.until(() => !screenText(agent.computer).includes("last problem"));
    link.cancel(job);
    await agent.shows("waiting for requests...");
    expect(agent.computer.screen.transcript()).toBe(agent.computer.screen.text());
    expect(screenText(agent.computer)).toContain(agent.bridge.url);
  });

  it("explains a failure whole, and counts down in place", async () => {
    await using agent = await startAgent({ computer, world: denied });
    await agent.shows(/next try in 2 s/);
    expect(agent.computer.screen.lines()).toContainEqual(
      expect.stringMatching(new RegExp(texts.noLinkNextTry)),
    );
    const text = screenText(agent.computer);
    expect(text).toContain("(Domain not permitted)");
    expect(text.replaceAll(" ", "")).toContain("computercraft-server.toml:");
    expect(text).toContain('action = "allow"');
    expect(colourOf(agent, "[[http.rules]]")).toBe(YELLOW);
    // The pause is random: this may be the countdown of a later try.
    await agent.world.advanceUntil(() => screenText(agent.computer).includes("next try in 1 s"));
    expect(screenText(agent.computer).split("next try").length).toBe(2);
    agent.world.httpRules = [{ host: "*", action: "allow" }];
    await agent.world.advanceUntil(() => screenText(agent.computer).includes("linked as"));
    expect(screenText(agent.computer)).not.toContain("not permitted");
    expect(screenText(agent.computer)).not.toContain("next try");
  });

  it("says that it stopped, and nothing else that is over", async () => {
    await using agent = await startAgent({
      computer,
      greeting: greet({ bridge: { version: "9.9.9" } }),
    });
    await agent.link();
    await agent.shows("Press U to update");
    agent.computer.terminate();
    await agent.shows(/stopped >/);
    expect(screenText(agent.computer)).not.toMatch(/linked as|waiting for requests|Press U/);
    agent.computer.type("clear\nmcp-computer ws://127.0.0.1:1\n");
    await agent.shows("next try in");
    agent.computer.terminate();
    await agent.shows(/stopped >/);
    expect(screenText(agent.computer)).not.toContain("next try");
  });

  it("shows the code to approve, and the player's lock", async () => {
    await using agent = await startAgent({
      computer: { ...computer, files: { "/.settings": `{ ["mcp_computer.allow"] = "files" }` } },
      greeting: (link) => link.sendRaw({ type: "pairing", code: "ABCD-1234", expiresMs: 60_000 }),
    });
    await agent.shows("ccbridge pair ABCD-1234");
    expect(colourOf(agent, "ABCD-1234")).toBe(YELLOW);
    await agent.shows("locked by the player: a bridge may only look and change files");
  });

  it("has a share bar that fits", async () => {
    await using agent = await startAgent({
      computer,
      command: (url) => `mcp-computer ${url} share\n`,
    });
    const link = await agent.link();
    await agent.shows("shared, linked");
    await agent.prompt();
    expect(screenText(agent.computer)).toContain("mcp-computer unshare");
    if (size !== "26x20")
      expect(agent.computer.screen.lines()[0]).toContain("mcp-computer unshare");
    const sent = link.request("send-input", { steps: [], by: "claude" });
    await agent.computer.idle();
    await agent.world.advance(200);
    await sent;
    expect(agent.computer.screen.lines()[0]).toMatch(/^shared, .*driven by claude/);
  });

  it("prints help in pages", async () => {
    await using agent = await startAgent({ computer, command: () => "clear\nmcp-computer help\n" });
    await agent.computer.idle();
    expect(agent.computer.screen.lines().slice(0, 3).join(" ")).toContain("Usage:");
    expect(colourOf(agent, "mcp-computer --version")).toBe(YELLOW);
    if (size !== "51x19") {
      await agent.shows("Press any key for more");
      agent.computer.type(" ");
    }
    await agent.shows("Without a URL it links to the one it remembers.");
    await agent.prompt();
    for (const line of agent.computer.screen.transcript().split("\n")) {
      expect(line).not.toMatch(/\S {40}/);
    }
  });

  it("knows a mistyped word when it sees one, and dials nothing", async () => {
    await using agent = await startAgent({ computer, command: () => "mcp-computer statsu\n" });
    await agent.shows("unknown word statsu. Did you mean status?");
    agent.computer.type("clear\nmcp-computer --autostrat\n");
    await agent.shows("unknown option --autostrat. Did you mean --autostart?");
    agent.computer.type("clear\nmcp-computer bananas\n");
    await agent.shows("unknown word bananas Usage:");
    await agent.prompt();
    const rest = size === "26x20" ? "    <ws-url>" : "  mcp-computer -url <ws-url>";
    expect(agent.computer.screen.lines()).toContain(rest);
    expect(agent.bridge.links).toHaveLength(0);
  });
});

it("completes its words, after a first use and after a boot", async () => {
  const check = `local info = shell.getCompletionInfo()["mcp-computer.lua"]
    print(table.concat(info.fnComplete(shell, 1, "s", {}), ","), #info.fnComplete(shell, 1, "--t", {}))`;
  await using agent = await startAgent({
    computer: { advanced: true, files: { "/check.lua": check } },
    command: (url) => `mcp-computer --version\ncheck\nmcp-computer -url ${url} --autostart\n`,
  });
  await agent.shows("tatus,top,hare 1");
  await agent.link(1);
  agent.computer.unload();
  agent.computer.load();
  await agent.prompt();
  agent.computer.type("check\n");
  await agent.shows("tatus,top,hare 1");
});

it("gives the screen to a program and draws itself again afterwards", async () => {
  await using agent = await startAgent({
    computer: { files: { "/draw.lua": `term.clear() print("drawn") os.pullEvent("done")` } },
  });
  const link = await agent.link();
  const job = link.send("run-program", { command: "draw", show: true });
  await agent.shows("drawn");
  expect(screenText(agent.computer)).not.toContain("linked as");
  agent.computer.queueEvent("done");
  await link.response(job);
  await agent.shows("linked as 12");
  expect(agent.computer.screen.lines()[0]).toContain("mcp-computer v");
});

it("says in words that the disk is full", async () => {
  await using agent = await startAgent({
    computer: {
      files: {
        "/full.lua": `local open, save = fs.open, settings.save
          fs.open = function(path, mode)
            local file = open(path, mode)
            if file and mode:sub(1, 1) ~= "r" then file.write = function() error("Out of space", 0) end end
            return file
          end
          settings.save = function() return false end`,
      },
    },
    command: (url) => `full\nclear\nmcp-computer ${url} --autostart\nmcp-computer ${url}\n`,
  });
  await agent.shows("Could not write /startup/zz-mcp-computer.lua: the disk is full");
  await agent.link(1);
  await agent.shows("The bridge's address is not remembered: the disk is full.");
});

it("reads no key while there is nothing to update", async () => {
  await using agent = await startAgent({ greeting: greet({ bridge: { version: "0.0.1" } }) });
  await agent.link(1);
  agent.computer.type("u");
  await agent.computer.idle();
  expect(screenText(agent.computer)).not.toContain("Updating");
});
