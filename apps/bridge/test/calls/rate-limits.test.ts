// A call beyond the limit is refused with the time at which to try again, and that time is
// right.
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { type CallRefused, Rates } from "../../src/calls/rates.js";
import { linkComputer } from "../helpers/computer.js";
import { driveTime } from "../helpers/drive-time.js";
import { callTool } from "../helpers/sdk-client.js";
import { startWithTokens } from "./helpers.js";

const code = "return 1";
const programs = { [code]: () => [] };
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

describe("over MCP", () => {
  it("quota= counts every call of its token, and of no other", async () => {
    const bridge = await startWithTokens("t-few name=kim quota=2/day\nt-all name=ann\n");
    const few = await bridge.connect("t-few");
    for (let call = 0; call < 2; call += 1) {
      expect((await callTool(few, "list-computers")).isError).toBeUndefined();
    }
    const again = await bridge.connect("t-few");
    for (const client of [few, again]) {
      expect(await callTool(client, "list-computers")).toMatchObject({
        isError: true,
        text: texts.theTokenOfThisClient,
      });
    }
    const all = await bridge.connect("t-all");
    expect((await callTool(all, "list-computers")).isError).toBeUndefined();
  });

  it.each([
    ["CC_COMPUTER_RATE", { computerRate: "2/h" }, "2 calls an hour", "in 30 min"],
    ["CC_COMPUTER_QUOTA", { computerQuota: "2/day" }, "2 calls a day", "in 24 h"],
  ])("%s counts the calls of all clients to one computer", async (_, settings, allows, when) => {
    const bridge = await startWithTokens("t-one name=kim\nt-two name=ann\n", settings);
    for (const computerId of [1, 2]) await linkComputer(bridge.linkUrl, { computerId, programs });
    const [one, two] = [await bridge.connect("t-one"), await bridge.connect("t-two")];
    const exec = (client: typeof one, computerId: number) =>
      callTool(client, "exec-lua", { computerId, code });
    expect((await exec(one, 1)).isError).toBeUndefined();
    expect((await exec(two, 1)).isError).toBeUndefined();
    for (const client of [one, two]) {
      const refused = await exec(client, 1);
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain(fill(texts.thisBridgeAllowsForComputer, allows, when));
    }
    expect(bridge.audit.trail.recent().map(({ outcome }) => outcome)).toEqual([
      "ok",
      "ok",
      "refused",
      "refused",
    ]);
    expect(bridge.registry.jobs.list()).toHaveLength(2);
    expect((await exec(one, 2)).isError).toBeUndefined();
  });
});

function refusal(take: () => void): string | undefined {
  try {
    take();
    return undefined;
  } catch (error) {
    const { message, hint } = error as CallRefused;
    return `${message} ${hint}`;
  }
}

describe("the time in a refusal", () => {
  it("is when the next call of a rate is allowed, and no sooner", () => {
    const pass = driveTime();
    const rates = new Rates();
    const client = {
      name: "kim",
      rights: { mode: "all", rate: { count: 2, perMs: MINUTE } },
    } as const;
    const call = () => refusal(() => rates.takeFromClient(client));
    expect([call(), call()]).toEqual([undefined, undefined]);
    expect(call()).toMatch(/2 calls a minute.*Try again in 30 s\.$/);
    pass(29_999);
    expect(call()).toMatch(/Try again in 1 s\.$/);
    pass(1);
    expect(call()).toBeUndefined();
    expect(call()).toMatch(/Try again in 30 s\.$/);
    pass(DAY);
    expect([call(), call(), call() === undefined]).toEqual([undefined, undefined, false]);
  });

  it("is when the next period of a quota begins", () => {
    const pass = driveTime();
    const rates = new Rates({ quota: { count: 2, perMs: DAY } });
    const call = () => refusal(() => rates.takeFromProvider("a", "a"));
    expect(call()).toBeUndefined();
    pass(20 * HOUR);
    expect(call()).toBeUndefined();
    expect(call()).toMatch(/2 calls a day.*Try again in 4 h\.$/);
    pass(3 * HOUR + 30 * MINUTE);
    expect(call()).toMatch(/Try again in 30 min\.$/);
    pass(30 * MINUTE - 1);
    expect(call()).toMatch(/Try again in 1 s\.$/);
    pass(1);
    expect([call(), call(), call() === undefined]).toEqual([undefined, undefined, false]);
  });

  it("a refused call does not use up the quota", () => {
    const pass = driveTime();
    const rights = {
      mode: "all",
      rate: { count: 1, perMs: MINUTE },
      quota: { count: 2, perMs: DAY },
    } as const;
    const client = { name: "kim", rights };
    const rates = new Rates();
    const call = () => refusal(() => rates.takeFromClient(client));
    expect(call()).toBeUndefined();
    for (let again = 0; again < 5; again += 1) expect(call()).toMatch(/a minute/);
    pass(MINUTE);
    expect(call()).toBeUndefined();
    pass(MINUTE);
    expect(call()).toMatch(/2 calls a day.*Try again in 24 h\.$/);
  });
});
