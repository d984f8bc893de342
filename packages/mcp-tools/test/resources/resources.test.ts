import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { matchTemplate } from "../../src/core/resource.js";
import {
  createSubscriptionBudget,
  findResource,
  listResources,
  Subscriptions,
} from "../../src/index.js";
import { createRegistry, link, lookAt, readResource } from "../harness.js";

const event = { type: "event", seq: 0, time: 1, name: "redstone", args: [] } as const;

describe("addresses", () => {
  it.each([
    ["cc://computers", "cc://computers", {}],
    ["cc://computers/{id}", "cc://computers/12", { id: "12" }],
    ["cc://computers/{id}", "cc://computers/base%20turtle", { id: "base turtle" }],
    ["cc://computers/{id}", "cc://computers/12/events", undefined],
    ["cc://computers/{id}", "cc://computers/%zz", undefined],
    ["cc://computers/{id}", "cc://computers/", undefined],
    ["cc://c/{id}/files/{+path}", "cc://c/12/files/a/b%23.lua", { id: "12", path: "a/b#.lua" }],
    ["cc://a.b/{id}", "cc://axb/1", undefined],
  ])("%s takes %s", (template, uri, variables) => {
    expect(matchTemplate(template, uri)).toEqual(variables);
  });

  it("of no kind are refused with the kinds that there are", () => {
    expect(() => findResource("file:///etc/passwd")).toThrow("cc://computers/{id}/events");
  });
});

describe("resources", () => {
  it("distinguish computers with the same id, and lead to each by its address", async () => {
    const registry = createRegistry();
    const context = lookAt(registry);
    link(registry, { computerId: 12, label: "a", instance: "one" });
    link(registry, { computerId: 12, label: "b", instance: "t/wo" });
    link(registry, { computerId: 13, label: "c" });
    const { entries } = await listResources(context);
    const uris = entries.map(({ uri }) => uri);
    expect(uris).toEqual([
      "cc://computers",
      "cc://computers/12@one",
      "cc://computers/12@t%2Fwo",
      "cc://computers/13",
      "cc://computers/12@one/events",
      "cc://computers/12@t%2Fwo/events",
      "cc://computers/13/events",
      "cc://guide",
    ]);
    for (const uri of uris) expect(await readResource(uri, context)).toHaveProperty("text");
    const read = async (uri: string) => {
      const content = await readResource(uri, context);
      return JSON.parse("text" in content ? content.text : "");
    };
    expect((await read("cc://computers/12@t%2Fwo")).label).toBe("b");
    expect((await read("cc://computers/a")).selector).toBe("12@one");
    await expect(read("cc://computers/12")).rejects.toThrow(/"12@one" .*"12@t\/wo"/);
    await expect(read("cc://computers/99")).rejects.toThrow("Computer 99 is not linked.");
  });

  it("are listed a page at a time", async () => {
    const registry = createRegistry();
    for (let id = 0; id < 120; id++) link(registry, { computerId: id });
    const context = lookAt(registry);
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listResources(context, cursor);
      expect(page.entries.length).toBeLessThanOrEqual(100);
      uris.push(...page.entries.map(({ uri }) => uri));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(new Set(uris).size).toBe(242);
    expect(uris).toHaveLength(242);
    const content = await readResource("cc://computers", context);
    const read = JSON.parse("text" in content ? content.text : "");
    expect(read).toMatchObject({ total: 120, more: expect.stringContaining("offset 100") });
    expect(read.computers).toHaveLength(100);
    await expect(listResources(context, "nonsense")).rejects.toThrow(texts.doesNotBelongTo);
  });

  it("show the newest events, however large they are, and those of a computer that is gone", async () => {
    const registry = createRegistry();
    const { fake, end } = link(registry, { computerId: 12 });
    for (let seq = 0; seq < 150; seq++) {
      fake.send({ ...event, seq, args: [seq, "x".repeat(1_000)] });
    }
    const read = async () => {
      const content = await readResource("cc://computers/12/events", lookAt(registry));
      const text = "text" in content ? content.text : "";
      expect(text.length).toBeLessThan(16_000);
      return JSON.parse(text);
    };
    const facts = await read();
    expect(facts.events.at(-1).args[0]).toBe(149);
    expect(facts).toMatchObject({ cursor: 150, linked: true });
    end.link.closed("gone");
    expect(await read()).toMatchObject({ cursor: 150, linked: false });
  });
});

describe("subscriptions", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function follow(uris: string[]) {
    const registry = createRegistry();
    const updates: string[] = [];
    const subscriptions = new Subscriptions({
      context: lookAt(registry),
      budget: createSubscriptionBudget(),
      client: {},
      find: findResource,
      updated: (uri) => updates.push(uri),
      listChanged: () => updates.push("list"),
    });
    for (const uri of uris) void subscriptions.subscribe(uri);
    return { registry, updates, subscriptions };
  }

  it("report the first change at once, and the last of many a second later", () => {
    const { registry, updates } = follow(["cc://computers/12/events"]);
    const { fake } = link(registry, { computerId: 12 });
    updates.length = 0;
    for (let seq = 0; seq < 100; seq++) fake.send({ ...event, seq });
    expect(updates).toEqual(["cc://computers/12/events"]);
    vi.advanceTimersByTime(999);
    expect(updates).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(updates).toHaveLength(2);
    vi.advanceTimersByTime(60_000);
    expect(updates.filter((uri) => uri !== "list")).toHaveLength(2);
  });

  it("notify each resource only of its own changes", () => {
    const uris = [
      "cc://computers",
      "cc://computers/12",
      "cc://computers/base",
      "cc://computers/13",
    ];
    const { registry, updates } = follow(uris);
    const { end } = link(registry, { computerId: 12, label: "base" });
    expect(updates).toEqual(["list", "cc://computers", "cc://computers/12", "cc://computers/base"]);
    vi.advanceTimersByTime(5_000);
    updates.length = 0;
    end.link.closed("gone");
    expect(updates).toEqual(["list", "cc://computers", "cc://computers/12", "cc://computers/base"]);
  });

  it("end when asked to, and with the client", () => {
    const { registry, updates, subscriptions } = follow(["cc://computers/12/events"]);
    const { fake } = link(registry, { computerId: 12 });
    fake.send(event);
    fake.send({ ...event, seq: 1 });
    updates.length = 0;
    subscriptions.unsubscribe("cc://computers/12/events");
    vi.advanceTimersByTime(5_000);
    fake.send({ ...event, seq: 2 });
    expect(updates).toEqual([]);
    subscriptions.close();
    link(registry, { computerId: 13 });
    expect(updates).toEqual([]);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("are bounded, and refuse addresses of no kind", async () => {
    const { subscriptions } = follow([]);
    await expect(subscriptions.subscribe("http://x")).rejects.toThrow(texts.noResourceHasThis);
    for (let id = 0; id < 256; id++) await subscriptions.subscribe(`cc://computers/${id}`);
    await subscriptions.subscribe("cc://computers/7");
    await expect(subscriptions.subscribe("cc://computers/256")).rejects.toThrow(
      "at most 256 resources",
    );
  });
});
