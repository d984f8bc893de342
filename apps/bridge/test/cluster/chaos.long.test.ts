import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  clusterOf,
  execute,
  Load,
  type Member,
  RestlessComputer,
  startMember,
  World,
} from "./chaos-world.js";

const COMPUTERS = 300;
/** How long links may be away after something broke. */
const BACK_MS = 10_000;

describe.skipIf(noNats !== undefined)(
  `a cluster that is broken in every way${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("runs no call twice, loses none silently, and has its links back within 10 s", async () => {
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const members: Member[] = [];
      for (const name of ["one", "two", "three"]) members.push(await startMember(name, nats.port));
      const [one, two, three] = members as [Member, Member, Member];
      const world = new World();
      onTestFinished(() => {
        for (const computer of world.computers) computer.end();
      });
      const urls = () => members.map(({ linkUrl }) => linkUrl);
      for (let id = 1; id <= COMPUTERS; id++) {
        world.computers.push(new RestlessComputer(id, urls, world, id));
      }
      await expect.poll(() => world.linked, { timeout: 60_000 }).toBe(COMPUTERS);
      await seenByAll(members);
      const load = new Load(members, COMPUTERS, 6);
      await calls(load, 50);

      const times: Record<string, number> = {};
      const breaking = async (what: string, act: () => Promise<void>, links = COMPUTERS) => {
        await act();
        const start = performance.now();
        await expect.poll(() => world.linked, { timeout: 60_000 }).toBe(links);
        times[what] = Math.round(performance.now() - start);
        await calls(load, 30);
      };

      await breaking("kill -9", async () => {
        await one.bridge.kill("SIGKILL");
      });
      await one.start();
      await breaking("SIGSTOP for 30 s", async () => {
        two.bridge.child.kill("SIGSTOP");
        await new Promise((resolve) => setTimeout(resolve, 30_000));
        two.bridge.child.kill("SIGCONT");
      });
      await breaking("NATS restart", async () => {
        await nats.stop();
        await calls(load, 10);
        await nats.start();
      });
      await breaking("partition", async () => {
        three.relay.swallow();
        await new Promise((resolve) => setTimeout(resolve, 15_000));
        three.relay.cut();
      });
      await breaking("clock jumps", async () => {
        for (const { bridge } of [one, two, one, two, one, two]) {
          bridge.child.kill("SIGUSR2");
          await calls(load, 5);
        }
      });
      await breaking("two computers with one id", async () => {
        const twin = new RestlessComputer(7, () => [three.linkUrl], world);
        await calls(load, 20);
        twin.end();
      });
      await breaking("rolling update", async () => {
        for (const member of members) {
          await member.bridge.kill("SIGTERM");
          await member.start();
        }
      });
      await seenByAll(members);
      await load.stop();

      const ok = load.outcomes.filter((each) => each.ok).length;
      const report = { times, calls: load.outcomes.length, ok };
      process.stdout.write(`${JSON.stringify(report)}\n`);
      expect(world.doubled()).toEqual([]);
      const wrong = load.outcomes.filter(({ nonce, ok, text }) => {
        const runs = world.runs.get(nonce) ?? 0;
        return (ok && runs !== 1) || (/nothing was (run|done)/i.test(text) && runs > 0);
      });
      expect(wrong).toEqual([]);
      expect(load.open).toBe(0);
      // Every failure says something.
      expect(load.outcomes.filter(({ ok, text }) => !ok && text.trim() === "")).toEqual([]);
      for (const [what, ms] of Object.entries(times)) expect.soft(ms, what).toBeLessThan(BACK_MS);
      for (const member of members) {
        expect(await execute(member.mcpPort, 7, `last of ${member.name}`)).toMatchObject({
          ok: true,
        });
      }
    });
  },
);

async function calls(load: Load, more: number): Promise<void> {
  const before = load.outcomes.length;
  await expect
    .poll(() => load.outcomes.length, { timeout: 240_000, interval: 50 })
    .toBeGreaterThan(before + more);
}

async function seenByAll(members: readonly Member[]): Promise<void> {
  for (const member of members) {
    await expect
      .poll(async () => (await clusterOf(member)).members, { timeout: 60_000 })
      .toBe(members.length);
  }
}
