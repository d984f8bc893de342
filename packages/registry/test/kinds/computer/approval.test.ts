import { LinkCloseCode } from "@ccbridge/protocol";
import { expect, it, vi } from "vitest";
import { LinkErrorCode, type PairingDesk, type WaitingComputer } from "../../../src/index.js";
import { connectAgent, createRegistry, v2 } from "../../harness.js";

type Events = Parameters<PairingDesk["open"]>[1];

function createDesk() {
  const opened: { computer: WaitingComputer; events: Events; isOpen: boolean }[] = [];
  const approved = new Set<string>();
  const desk: PairingDesk = {
    accepts: (_, secret) => secret === "s3cret",
    admits: ({ key }) => approved.has(key),
    open(computer, events) {
      const wait = { computer, events, isOpen: true };
      opened.push(wait);
      const close = () => {
        wait.isOpen = false;
      };
      return { code: `CODE-${opened.length}`, expiresInMs: 60_000, close };
    },
  };
  return { desk, opened, approved };
}

const pairable = { ...v2, features: [...v2.features, "jobs", "pairing"] };

it("a version 1 agent takes itself for linked, and is nowhere to be seen until it is approved", () => {
  const { desk, opened } = createDesk();
  const registry = createRegistry({ pairing: desk });
  const agent = connectAgent(registry);
  agent.hello(12, { computerLabel: "base" });
  expect(agent.received).toMatchObject([{ type: "hello-ok" }]);
  expect(opened).toMatchObject([{ computer: { provider: { computerId: 12 }, showsCode: false } }]);
  expect(registry.computers.list()).toEqual([]);
  expect(registry.session("computer:[12,null,null]")).toBeUndefined();
  const event = { type: "event", seq: 0, time: 1, name: "chat", args: [] } as const;
  for (let round = 0; round < 100; round++) agent.say(event);
  agent.say({ type: "tools", tools: [] });
  agent.say({ type: "chunk", transfer: "t", index: 0, count: 2, data: "{" });
  expect(agent.end.closedWith).toBeUndefined();
  expect(registry.reported).toEqual([]);
  expect(registry.events.get("computer:[12,null,null]")).toBeUndefined();

  opened[0]?.events.approved(undefined);
  expect(registry.computers.list().map(({ name }) => name)).toEqual(["computer 12 (Label: base)"]);
  expect(agent.received).toHaveLength(1);
  expect(registry.held).toBe(0);
});

it("a later agent that shows no code links again once it is approved, with its jobs", async () => {
  const { desk, opened, approved } = createDesk();
  const registry = createRegistry({ pairing: desk });
  const hello = { ...v2, features: [...v2.features, "jobs"], jobs: ["job-1"] };
  const agent = connectAgent(registry);
  agent.hello(12, hello);
  expect(agent.received).toMatchObject([{ type: "hello-ok", protocol: 2, jobs: [] }]);
  agent.say({ type: "response", id: "job-1", ok: true, result: "x" });
  expect(agent.received).toHaveLength(1);
  approved.add(opened[0]?.computer.provider.key ?? "");
  opened[0]?.events.approved(undefined);
  expect(agent.end.closedWith?.code).toBe(LinkCloseCode.goingAway);
  const next = connectAgent(registry);
  next.hello(12, hello);
  expect(registry.size).toBe(1);
});

it("an agent that shows codes gets its secret, and links with it on the same connection", () => {
  const { desk, opened } = createDesk();
  const registry = createRegistry({ pairing: desk });
  const agent = connectAgent(registry);
  agent.hello(12, pairable);
  expect(agent.received).toEqual([{ type: "pairing", code: "CODE-1", expiresMs: 60_000 }]);
  agent.hello(12, pairable);
  expect(agent.received[1]).toEqual(agent.received[0]);
  opened[0]?.events.approved("s3cret");
  expect(agent.received[2]).toEqual({ type: "paired", secret: "s3cret" });
  expect(registry.size).toBe(0);
  agent.hello(12, { ...pairable, secret: "s3cret" });
  expect(registry.size).toBe(1);
});

it("what changes while it waits is asked for again: the owner approves what was shown", () => {
  const { desk, opened } = createDesk();
  const registry = createRegistry({ pairing: desk });
  const agent = connectAgent(registry);
  for (const [id, label] of [
    [12, "base"],
    [12, "other"],
    [13, "other"],
  ] as const) {
    agent.hello(id, { computerLabel: label });
  }
  agent.hello(13, { ...pairable, computerLabel: "other" });
  expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, false, false, true]);
  expect(registry.held).toBe(1);
});

it("one that waits does not replace a link of the same identity", () => {
  const { desk, approved } = createDesk();
  const registry = createRegistry({ pairing: desk });
  approved.add("computer:[12,null,null]");
  const first = connectAgent(registry);
  first.hello(12);
  approved.clear();
  const second = connectAgent(registry);
  second.hello(12);
  expect(registry.computers.list()).toEqual([first.link]);
  // An approved link may still change its label.
  first.hello(12, { computerLabel: "renamed" });
  expect(registry.computers.list()[0]?.provider.label).toBe("renamed");
});

it("a connection that waits ends with the wait, with the bridge, and when its socket is silent", async () => {
  vi.useFakeTimers();
  try {
    const { desk, opened } = createDesk();
    const registry = createRegistry({ pairing: desk, heartbeatMs: 1_000, dropAfterMs: 10_000 });
    const [late, displaced, silent, alive] = [1, 2, 3, 4].map((id) => {
      const agent = connectAgent(registry);
      agent.hello(id, pairable);
      return agent;
    });
    opened[0]?.events.ended("expired");
    opened[1]?.events.ended("displaced");
    expect(late?.end.closedWith?.code).toBe(LinkCloseCode.helloTimeout);
    expect(displaced?.end.closedWith?.code).toBe(LinkCloseCode.tooManyLinks);
    expect(late?.received.at(-1)).toMatchObject({ type: "hello-error", code: "pairing" });
    for (let second = 0; second < 12; second++) {
      alive?.link.alive();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(silent?.end.closedWith?.code).toBe(LinkCloseCode.silent);
    expect(alive?.end.closedWith).toBeUndefined();
    expect(alive?.requests()).toEqual([]);
    expect(registry.reported.map(({ topic }) => topic)).toEqual(["refused", "refused"]);
    registry.close();
    expect(alive?.end.closedWith?.code).toBe(LinkCloseCode.goingAway);
    expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, false, false, false]);
    expect(registry.held).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it("the socket of a computer that is linked proves nothing about its program", async () => {
  vi.useFakeTimers();
  try {
    const registry = createRegistry({ heartbeatMs: 1_000, dropAfterMs: 5_000 });
    const agent = connectAgent(registry);
    agent.hello(12);
    for (let second = 0; second < 7; second++) {
      agent.link.alive();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(registry.reported.at(-1)).toMatchObject({
      topic: "unlinked",
      code: LinkErrorCode.silent,
    });
  } finally {
    vi.useRealTimers();
  }
});
