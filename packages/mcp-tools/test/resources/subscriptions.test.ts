import { Budget, filteredPort } from "@ccbridge/registry";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { createSubscriptionBudget, findResource, Subscriptions } from "../../src/index.js";
import { createRegistry, link, lookAt } from "../harness.js";

const event = { type: "event", seq: 0, name: "redstone", args: [] } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("subscriptions of many sessions", () => {
  it("cost an event nothing that is of another computer", async () => {
    const registry = createRegistry();
    const { fake } = link(registry, { computerId: 12, label: "base" });
    const context = lookAt(registry);
    let looks = 0;
    const sees = () => {
      looks += 1;
      return true;
    };
    const updated: string[] = [];
    const budget = new Budget<object>({ total: Number.POSITIVE_INFINITY });
    const sessions = Array.from({ length: 100 }, () => {
      return new Subscriptions({
        context: { ...context, providers: filteredPort(context.providers, { sees }) },
        budget,
        client: {},
        find: findResource,
        updated: (uri) => updated.push(uri),
        listChanged: () => {},
      });
    });
    for (const [number, session] of sessions.entries()) {
      for (let id = 0; id < 255; id++) {
        await session.subscribe(`cc://computers/${1_000 + id}/events`);
      }
      const related = ["cc://computers/12/events", "cc://computers/base/events"][number];
      await session.subscribe(related ?? "cc://computers");
    }
    expect(budget.total).toBe(25_600);
    looks = 0;
    fake.send(event);
    expect(updated).toEqual(["cc://computers/12/events", "cc://computers/base/events"]);
    expect(looks).toBe(2);
    for (const session of sessions) session.close();
    expect(budget.total).toBe(0);
    await vi.advanceTimersByTimeAsync(0);
    fake.send({ ...event, seq: 1 });
    expect(looks).toBe(2);
  });

  it("are bounded for each client, however many sessions it has", async () => {
    const registry = createRegistry();
    const budget = createSubscriptionBudget();
    const open = (client: object) =>
      new Subscriptions({
        context: lookAt(registry),
        budget,
        client,
        find: findResource,
        updated: () => {},
        listChanged: () => {},
      });
    const fill = async (session: Subscriptions, count: number) => {
      for (let id = 0; id < count; id++) await session.subscribe(`cc://computers/${id}`);
    };
    const [greedy, modest] = [{}, {}];
    const sessions = [1, 2, 3, 4].map(() => open(greedy));
    for (const session of sessions) await fill(session, 256);
    const [first] = sessions as [Subscriptions];
    await expect(first.subscribe("cc://computers/256")).rejects.toThrow(
      texts.aSessionMaySubscribeTo,
    );
    const fifth = open(greedy);
    await expect(fifth.subscribe("cc://computers/1")).rejects.toThrow(texts.theSessionsOfOneClient);
    await fill(open(modest), 256);
    first.unsubscribe("cc://computers/0");
    first.unsubscribe("cc://computers/0");
    await fill(fifth, 1);
    await expect(fifth.subscribe("cc://computers/1")).rejects.toThrow("one client");
    first.close();
    await fill(fifth, 256);
  });
});
