import { describe, expect, it } from "vitest";
import { type ChangeFilter, Changes, type ChangeTopic } from "../src/changes.js";
import type { Provider } from "../src/index.js";

const origin = { address: "memory" };
const provider = (key: string): Provider => ({
  kind: "computer",
  key,
  name: key,
  methods: [],
  features: [],
});
const event = (key: string) =>
  ({ topic: "events", provider: provider(key), event: "redstone" }) as const;

function listening() {
  const changes = new Changes(({ key }) => [`address of ${key}`, `address of ${key}`, "all"]);
  const heard: string[] = [];
  const listen = (name: string, filter?: ChangeFilter<ChangeTopic>) =>
    changes.subscribe(({ topic }) => heard.push(`${name}: ${topic}`), filter);
  return { changes, heard, listen };
}

describe("changes", () => {
  it("reach those who asked for the topic and the provider, once each", () => {
    const { changes, heard, listen } = listening();
    listen("everything");
    listen("events", { topics: ["events"] });
    listen("links", { topics: ["linked", "unlinked"] });
    listen("a", { key: "a" });
    listen("events of b", { topics: ["events"], key: "b" });
    listen("address of a", { key: "address of a" });
    listen("address of all", { topics: ["events"], key: "all" });
    changes.emit(event("a"));
    expect(heard).toEqual([
      "everything: events",
      "events: events",
      "a: events",
      "address of a: events",
      "address of all: events",
    ]);
    heard.length = 0;
    changes.emit({ topic: "problem", origin, reason: "odd" });
    expect(heard).toEqual(["everything: problem"]);
  });

  it("end with the subscription, and leave nothing behind", () => {
    const { changes, heard, listen } = listening();
    const stop = listen("a", { topics: ["events", "state"], key: "a" });
    expect(changes.size).toBe(1);
    stop();
    stop();
    changes.emit(event("a"));
    expect(heard).toEqual([]);
    expect(changes.size).toBe(0);
  });

  it("reach a function once for each of its subscriptions", () => {
    const { changes } = listening();
    const calls: string[] = [];
    const count = () => void calls.push("call");
    const stop = changes.subscribe(count);
    changes.subscribe(count);
    changes.emit(event("a"));
    stop();
    changes.emit(event("a"));
    expect(calls).toHaveLength(3);
  });
});
