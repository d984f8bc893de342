import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchDirectory } from "../helpers/scratch.js";
import {
  callWith,
  clusterOf,
  execute,
  Load,
  type Member,
  NO_ANSWER,
  type Outcome,
  RestlessComputer,
  startMember,
  World,
} from "./chaos-world.js";
import { startCluster } from "./start-cluster.js";

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

      const away: Record<string, number> = {};
      const answered: Record<string, string> = {};
      const breaking = async (what: string, act: () => Promise<void>) => {
        world.longestAwayMs = 0;
        const before = load.outcomes.length;
        await act();
        await calls(load, 30);
        await expect.poll(() => world.linked, { timeout: 60_000 }).toBe(COMPUTERS);
        away[what] = Math.round(world.awayMs);
        const since = load.outcomes.slice(before);
        answered[what] = `${since.filter(({ ok }) => ok).length} of ${since.length}`;
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
      const failures = kindsOf(load.outcomes, world);
      const report = { away, answered, calls: load.outcomes.length, ok, failures };
      process.stdout.write(`${JSON.stringify(report, undefined, 1)}\n`);
      expect(world.doubled()).toEqual([]);
      const wrong = load.outcomes.filter(({ nonce, ok, text }) => {
        const runs = world.runs.get(nonce) ?? 0;
        return (ok && runs !== 1) || (/nothing was (run|done)/i.test(text) && runs > 0);
      });
      expect(wrong).toEqual([]);
      expect(load.open).toBe(0);
      // Every failure says something, and a call that ran never says less than that it may have.
      expect(load.outcomes.filter(({ text }) => text === NO_ANSWER)).toEqual([]);
      const silent = load.outcomes.filter(({ nonce, ok, text }) => {
        if (ok) return false;
        return text.trim() === "" || (world.runs.has(nonce) && !saysMayHaveRun.test(text));
      });
      expect(silent).toEqual([]);
      for (const [what, ms] of Object.entries(away)) expect.soft(ms, what).toBeLessThan(BACK_MS);
      for (const member of members) {
        expect(await execute(member.mcpPort, 7, `last of ${member.name}`)).toMatchObject({
          ok: true,
        });
      }
    });

    it("ends a token everywhere within a second when it is removed anywhere", async () => {
      const files = [0, 1, 2].map(() => join(scratchDirectory(), "tokens"));
      const keys = ["owner", "guest", "third"].map(
        (name) => `${name}-${"x".repeat(32)} name=${name}\n`,
      );
      for (const file of files) writeFileSync(file, keys.join(""));
      const bridges = await startCluster(...files.map((mcpTokensFile) => ({ mcpTokensFile })));
      for (const [index, left] of [
        [0, 2],
        [1, 1],
      ] as const) {
        const removedAt = performance.now();
        writeFileSync(files[index] ?? "", keys.slice(0, left).join(""));
        for (const { clients } of bridges) {
          await expect.poll(() => clients.list().length, { interval: 5 }).toBe(left);
        }
        expect(performance.now() - removedAt).toBeLessThan(1_000);
      }
    });

    it("has the calls of a bridge that was killed in the history of another, but for its last second", async () => {
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const [one, two] = [await startMember("one", nats.port), await startMember("two", nats.port)];
      await seenByAll([one, two]);
      const world = new World();
      const computer = new RestlessComputer(1, () => [one.linkUrl], world);
      world.computers.push(computer);
      onTestFinished(() => computer.end());
      await expect.poll(() => world.linked).toBe(1);
      const answered: { nonce: string; at: number }[] = [];
      const begin = performance.now();
      while (performance.now() - begin < 5_000) {
        const nonce = `kept-${answered.length}-`;
        expect((await execute(one.mcpPort, 1, nonce)).ok).toBe(true);
        answered.push({ nonce, at: performance.now() });
      }
      const killedAt = performance.now();
      await one.bridge.kill("SIGKILL");
      const old = answered.filter(({ at }) => at < killedAt - 1_000);
      expect(old.length).toBeGreaterThan(20);
      for (const { nonce } of old) {
        const { text } = await callWith(two.mcpPort, "get-history", { text: nonce });
        expect(text).toContain(nonce);
      }
    });
  },
);

/** To a client whose connection to its bridge broke, the bridge can say nothing. */
const saysMayHaveRun = /may have run|^connection: /i;

/** How many calls failed for each reason, and how many of them ran. */
function kindsOf(outcomes: readonly Outcome[], world: World): Record<string, string> {
  const kinds = new Map<string, { count: number; ran: number }>();
  for (const { nonce, ok, text } of outcomes) {
    if (ok) continue;
    const kind = text.replace(/\d+/g, "#").replace(/bridge (one|two|three)/g, "bridge *");
    const known = kinds.get(kind) ?? { count: 0, ran: 0 };
    kinds.set(kind, { count: known.count + 1, ran: known.ran + (world.runs.has(nonce) ? 1 : 0) });
  }
  const shown = [...kinds].map(([kind, { count, ran }]) => [kind, `${count}, ran ${ran}`] as const);
  return Object.fromEntries(shown);
}

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
