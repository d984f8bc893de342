import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ACK_DELAY_MS } from "../../../src/kinds/computer/outbox.js";
import { connectAgent, createRegistry, v2 } from "../../harness.js";

const keeping = { ...v2, features: [...v2.features, "jobs"] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function linked(hello: object) {
  const registry = createRegistry();
  const agent = connectAgent(registry);
  agent.hello(1, hello);
  return { registry, agent };
}

describe("an answer", () => {
  it("is acknowledged together with others, in one frame to an agent that reads it", () => {
    const acks = (features: string[]) => {
      const { agent } = linked({ ...keeping, features });
      const ids = ["before-1", "before-2"];
      for (const id of ids) agent.say({ type: "response", id, ok: true });
      expect(agent.received.some(({ type }) => type === "ack")).toBe(false);
      vi.advanceTimersByTime(ACK_DELAY_MS);
      return { ids, frames: agent.received.filter(({ type }) => type === "ack") };
    };
    const one = acks([...keeping.features, "acks"]);
    expect(one.frames).toEqual([{ type: "ack", ids: one.ids }]);
    const each = acks(keeping.features);
    expect(each.frames).toEqual(each.ids.map((id) => ({ type: "ack", id })));
  });

  it("is acknowledged at once when many wait for it, and before the link is closed", () => {
    const { registry, agent } = linked({ ...keeping, features: [...keeping.features, "acks"] });
    const ids = Array.from({ length: 9 }, (_, number) => `before-${number}`);
    for (const id of ids) agent.say({ type: "response", id, ok: true });
    expect(agent.received.at(-1)).toEqual({ type: "ack", ids: ids.slice(0, 8) });
    registry.close();
    expect(agent.received.at(-1)).toEqual({ type: "ack", ids: ids.slice(8) });
    expect(agent.end.closedWith).toMatchObject({ code: 1001 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
