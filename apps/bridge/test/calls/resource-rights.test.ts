// What a token does not show does not exist for its clients: to read, subscribe, call, or be
// notified of.
import type { LuaValue } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { linkComputer } from "../helpers/computer.js";
import { listeners, startWithTokens } from "./helpers.js";

const opened: LuaValue[] = [{ type: "string", value: "opened" }];
const programs = { "call-tool door": () => opened, "call-tool gate": () => opened };
const event = { type: "event", seq: 0, time: 1, name: "redstone", args: [] } as const;

const failure = (asked: Promise<unknown>) =>
  asked.then(
    () => "",
    (error: Error) => error.message,
  );

describe.each(Object.entries(listeners))("with %s", (generation, open) => {
  it("a resource is read and followed only by clients that may use the tool that shows the same", async () => {
    const bridge = await startWithTokens(
      "t-look name=lou mode=look\nt-some name=bob tools=list-computers\n",
    );
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1, label: "one" });
    const events = "cc://computers/1/events";
    const [look, some] = [await open(bridge, "t-look"), await open(bridge, "t-some")];
    // Reading needs no more than a read-only token.
    expect(await look.read("cc://computers/1")).toContain("one");
    expect(await look.resources()).toContain(events);
    await look.follow(events);
    expect(await some.read("cc://computers")).toContain("one");
    expect(await some.resources()).not.toContain(events);
    expect(await failure(some.read(events))).toContain("does not allow get-events");
    const refused = await failure(some.follow("cc://computers", events));
    // Without a session the others are followed, and this one never sends anything.
    if (generation === "a session") expect(refused).toContain("does not allow get-events");
    else expect(refused).toBe("");
    fake.send(event);
    await look.until(events);
    await linkComputer(bridge.linkUrl, { computerId: 2, label: "two" });
    await some.until("cc://computers");
    expect(some.received).not.toContain(events);
  });

  it("a read-only bridge has its resources, and a used-up rate refuses to read them", async () => {
    const bridge = await startWithTokens("t-few name=kim rate=2/h\n", { readOnly: true });
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "one" });
    const few = await open(bridge, "t-few");
    expect(await few.read("cc://computers")).toContain("one");
    expect(await few.read("cc://computers/1")).toContain("one");
    expect(await failure(few.read("cc://computers"))).toMatch(
      new RegExp(texts.kimAllowsCallsAnHour),
    );
  });

  it("a hidden computer is not listed, read, called or named", async () => {
    const bridge = await startWithTokens("t-some name=bob computers=1,3\n");
    const client = await open(bridge, "t-some");
    const [hidden, seen] = ["cc://computers/2/events", "cc://computers/1/events"];
    const before = await client.tools();
    await client.follow(hidden, "cc://computers/2", seen);
    const two = await linkComputer(bridge.linkUrl, { computerId: 2, label: "two", programs });
    two.fake.send({ type: "tools", tools: [{ name: "gate", description: "The hidden gate." }] });
    two.fake.send(event);
    const [session] = bridge.computers.list();
    await session?.request("ping", {}, { timeoutMs: 10_000 });
    expect(await client.tools()).toEqual(before);
    expect(await client.call("list-offered-tools")).not.toMatch(/gate|two/);
    await expect(client.call("gate")).rejects.toThrow('There is no tool "gate"');
    expect(await client.call("call-offered-tool", { tool: "gate" })).not.toContain("opened");
    expect(await client.resources()).toEqual(["cc://computers", "cc://guide"]);
    const unread = await failure(client.read(hidden));
    expect(unread.replaceAll(/\b2\b/g, "9")).toBe(
      await failure(client.read("cc://computers/9/events")),
    );
    expect(unread).not.toContain("two");
    two.socket.terminate();
    await two.closed;
    // Notifications arrive in order: those of the hidden one would have come before this.
    expect(client.received).toEqual([]);
    const one = await linkComputer(bridge.linkUrl, { computerId: 1, label: "one", programs });
    one.fake.send({ type: "tools", tools: [{ name: "door", description: "Opens the door." }] });
    one.fake.send(event);
    await Promise.all([client.until("tools"), client.until("resources"), client.until(seen)]);
    expect(client.received.filter((uri) => uri.includes("/2"))).toEqual([]);
    expect(client.received.filter((what) => what === "tools")).toHaveLength(1);
    expect(await client.call("door")).toContain("opened");
  });
});
