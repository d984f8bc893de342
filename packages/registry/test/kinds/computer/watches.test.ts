import type { ScreenFrame } from "@ccbridge/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Computers, Registry } from "../../../src/index.js";
import { connectInMemory } from "../../../src/testing/index.js";

interface Asked {
  id: string;
  method: string;
  params: { on?: boolean; path?: string };
}

const screen = (text: string) => ({
  width: 2,
  height: 1,
  cursor: { x: 1, y: 1, blink: false },
  colour: true,
  text,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const registry = new Registry({});
  const computers = new Computers(registry, { bridge: { name: "test", version: "0" } });
  const link = (methods: string[], answers: Record<string, unknown>) => {
    const asked: Asked[] = [];
    const end = connectInMemory(computers, {
      receive: (text) => {
        const frame = JSON.parse(text);
        if (frame.type !== "request" || !(frame.method in answers)) return;
        asked.push(frame);
        const result = answers[frame.method];
        const ok = typeof result !== "string";
        end.send(JSON.stringify({ type: "response", id: frame.id, ok, result, error: result }));
      },
    });
    const hello = { type: "hello", computerId: 12, protocol: 2, methods, features: [] };
    end.send(JSON.stringify(hello));
    const push = (frame: Omit<ScreenFrame, "type">) =>
      end.send(JSON.stringify({ type: "screen", ...frame }));
    const [{ key } = { key: "" }] = computers.list().map(({ provider }) => provider);
    return { asked, end, push, key };
  };
  return { computers, link };
}

describe("a watched screen", () => {
  it("is looked at once for all, every two seconds, with an agent that cannot push", async () => {
    const { computers, link } = start();
    const answers = { "read-screen": { job: "j-1", screen: screen("ab") } };
    const { asked, key } = link(["read-screen"], answers);
    const heard: (string | undefined)[] = [];
    const stops = [1, 2].map(() =>
      computers.watches.screen(key, (now) => heard.push(now.screen?.text)),
    );
    await vi.advanceTimersByTimeAsync(0);
    expect([asked.length, heard]).toEqual([1, ["ab", "ab"]]);
    answers["read-screen"] = { job: "j-1", screen: screen("cd") };
    await vi.advanceTimersByTimeAsync(2_000);
    expect([asked.length, heard.slice(2)]).toEqual([2, ["cd", "cd"]]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(heard).toHaveLength(4);
    for (const stop of stops) stop();
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(before);
  });

  it("is pushed by an agent that can, and no longer without listeners", async () => {
    const { computers, link } = start();
    const answers = { "watch-screen": { watching: true, job: "j-1" } };
    const { asked, push, key } = link(["watch-screen"], answers);
    const heard: [string | undefined, boolean][] = [];
    const stop = computers.watches.screen(key, (now) => heard.push([now.screen?.text, now.ended]));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(({ params }) => params)).toEqual([{ on: true, whole: true }]);
    push({ job: "j-1", screen: screen("ab") });
    push({ job: "j-1", screen: screen("ab") });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.map(({ params }) => params).slice(1)).toEqual([{ on: true }]);
    push({
      job: "j-1",
      rows: [{ y: 1, text: "cd", foreground: "00", background: "ff" }],
      cursor: { x: 2, y: 1, blink: true },
    });
    push({ job: "j-1", rows: [], cursor: { x: 2, y: 1, blink: true }, ended: true });
    expect(heard).toEqual([
      ["ab", false],
      ["cd", false],
      ["cd", true],
    ]);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(3);
    stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.at(-1)?.params).toEqual({ on: false });
    push({ job: "j-1", screen: screen("zz") });
    expect(heard).toHaveLength(3);
  });

  it("is not mixed up with the screen of another program on the same computer", async () => {
    const { computers, link } = start();
    const answers = { "watch-screen": { watching: true, job: "newest" } };
    const { asked, push, key } = link(["watch-screen"], answers);
    const newest: (string | undefined)[] = [];
    const named: (string | undefined)[] = [];
    const stop = computers.watches.screen(key, (now) => newest.push(now.screen?.text));
    computers.watches.screen(key, (now) => named.push(now.screen?.text), { job: "older" });
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(({ params }) => params)).toEqual([
      { on: true, whole: true },
      { job: "older", on: true, whole: true },
    ]);
    push({ job: "older", screen: screen("ab") });
    push({ job: "newest", screen: screen("cd") });
    push({ job: "older", rows: [{ y: 1, text: "xy", foreground: "00", background: "ff" }] });
    expect([newest, named]).toEqual([["cd"], ["ab", "xy"]]);
    stop();
    push({ job: "newest", screen: screen("zz") });
    push({ job: "older", rows: [], ended: true });
    expect([newest.length, named.length]).toEqual([1, 3]);
  });

  it("is requested whole again when its rows do not fit", async () => {
    const { computers, link } = start();
    const { asked, push, key } = link(["watch-screen"], { "watch-screen": { watching: true } });
    const listener = vi.fn();
    computers.watches.screen(key, listener);
    await vi.advanceTimersByTimeAsync(0);
    push({ rows: [{ y: 1, text: "cd", foreground: "00", background: "ff" }] });
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(2);
    expect(listener).not.toHaveBeenCalled();
  });

  it("says why there is none, and continues when the computer is back", async () => {
    const { computers, link } = start();
    const first = link(["watch-screen"], { "watch-screen": "no program runs" });
    const heard: (string | undefined)[] = [];
    computers.watches.screen(first.key, (now) => heard.push(now.problem ?? now.screen?.text));
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual(["no program runs"]);
    first.end.link.closed("gone");
    await vi.advanceTimersByTimeAsync(20_000);
    const again = link(["read-screen"], { "read-screen": { screen: screen("ok") } });
    await vi.advanceTimersByTimeAsync(0);
    expect(again.key).toBe(first.key);
    expect(heard.at(-1)).toBe("ok");
  });
});

describe("a watched file", () => {
  it("is polled once for all, and reports when it changed or is gone", async () => {
    const { computers, link } = start();
    const entry = { path: "/a", isDir: false, size: 1, modified: 1 };
    const listing = (size: number) => ({
      path: "/a",
      entries: [{ ...entry, size }],
      total: 1,
      files: 1,
      bytes: size,
    });
    const answers: Record<string, unknown> = { "list-files": listing(1) };
    const { asked, key } = link(["list-files"], answers);
    const [one, two] = [vi.fn(), vi.fn()];
    const stops = [one, two].map((listener) => computers.watches.file(key, "/a", listener));
    const other = computers.watches.file(key, "/b", () => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(({ params }) => params.path)).toEqual(["/a", "/b"]);
    other();
    answers["list-files"] = listing(2);
    await vi.advanceTimersByTimeAsync(2_000);
    answers["list-files"] = "no such file";
    await vi.advanceTimersByTimeAsync(2_000);
    expect([one.mock.calls.length, two.mock.calls.length]).toEqual([3, 3]);
    expect(one.mock.lastCall).toEqual([{ fingerprint: "failed: no such file" }]);
    for (const stop of stops) stop();
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(before);
  });
});
