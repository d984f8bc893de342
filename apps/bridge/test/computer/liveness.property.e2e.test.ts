import { createWorld, LuaExpression, Results, type World } from "@ccbridge/cc-host";
import { programText } from "@ccbridge/lua-agent";
import { Computers, Registry, registryDefaults } from "@ccbridge/registry";
import { type AgentEnd, connectInMemory } from "@ccbridge/registry/testing";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const { heartbeatMs, unresponsiveAfterMs, dropAfterMs } = registryDefaults;
const STEP_MS = 50;
const CHECK_MS = heartbeatMs / 5;
const NOTICE_MS = 3 * heartbeatMs + 2_000;

type Stall = "nothing" | "line" | "bridge" | "game" | "ticks";

interface Talk {
  readonly agentTalks: boolean;
  readonly bridgeTalks: boolean;
  readonly everyMs: number;
}

interface Phase extends Talk {
  readonly seconds: number;
  readonly stall: Stall;
  readonly stallSeconds: number;
}

/** The program in the game and the registry, on one driven clock, with a connection between them that can be cut. */
class Scene {
  readonly registry = new Registry();
  readonly computers = new Computers(this.registry, { bridge: { name: "test", version: "0" } });
  dialled = 0;
  hungUp = 0;
  heardByAgent = 0;
  heardByBridge = 0;
  now = 0;
  cut = { toAgent: false, toBridge: false };
  readonly #world: World;
  readonly #computer: ReturnType<World["computer"]>;
  #url = "";
  #end: AgentEnd | undefined;
  #toAgent: string[] = [];
  #toBridge: string[] = [];

  private constructor(world: World) {
    this.#world = world;
    this.#computer = world.computer({
      id: 12,
      files: {
        "/mcp-computer.lua": programText,
        "/startup.lua": 'shell.run("mcp-computer", "ws://bridge")',
      },
    });
    this.#computer.extend({
      functions: {
        "http.websocket": (url) => {
          this.#dial(String(url));
          return new Results(true);
        },
        "websocket.send": (_, text) => void this.#toBridge.push(String(text)),
        "websocket.close": () => void this.hungUp++,
        "websocket.collected": () => {},
        "websocket.isOpen": () => true,
      },
      tick: () => {},
      reset: () => {},
    });
  }

  static async start(): Promise<Scene> {
    const scene = new Scene(await createWorld());
    scene.#computer.turnOn();
    for (let step = 0; step < 100 && scene.registry.size === 0; step++) scene.step("nothing");
    const [link] = scene.computers.list();
    if (link === undefined) throw new Error(`not linked: ${scene.#computer.screen.text()}`);
    const watching = scene.computers.watchEvents(link, [{ name: "noise" }], { timeoutMs: 10_000 });
    for (let step = 0; step < 10; step++) scene.step("nothing");
    expect(await watching).toMatchObject({ ok: true });
    return scene;
  }

  close(): void {
    this.registry.close();
    this.#world.close();
  }

  #dial(url: string): void {
    this.dialled++;
    this.#url = url;
    this.#end = connectInMemory(this.computers, { receive: (text) => this.#toAgent.push(text) });
    const handle = new LuaExpression(`websocket(${this.dialled},${JSON.stringify(url)})`);
    this.#computer.queueEvent("websocket_success", url, handle);
  }

  step(stall: Stall): void {
    this.now += STEP_MS;
    if (stall !== "bridge") vi.advanceTimersByTime(STEP_MS);
    const isOpen = stall === "nothing" || stall === "ticks";
    if (isOpen) this.#deliverToAgent();
    if (stall !== "game" && stall !== "ticks") this.#world.tick();
    else if (stall === "ticks") this.#computer.drain();
    if (isOpen) this.#deliverToBridge();
  }

  stall(stall: Stall, seconds: number): void {
    for (let ms = 0; ms < seconds * 1_000; ms += STEP_MS) this.step(stall);
    if (stall === "bridge") vi.advanceTimersByTime(seconds * 1_000);
    if (stall === "game") this.#world.tick((seconds * 1_000) / STEP_MS);
  }

  play(phase: Phase): void {
    for (let ms = 0; ms < phase.seconds * 1_000; ms += STEP_MS) {
      this.#talk(phase, ms);
      this.step("nothing");
    }
    if (phase.stall !== "nothing") this.stall(phase.stall, phase.stallSeconds);
  }

  #deliverToAgent(): void {
    const messages = this.#toAgent.splice(0);
    if (this.cut.toAgent || messages.length === 0) return;
    this.heardByAgent = this.now;
    for (const text of messages) {
      this.#computer.queueEvent("websocket_message", this.#url, text, false);
    }
  }

  #deliverToBridge(): void {
    const messages = this.#toBridge.splice(0);
    if (this.cut.toBridge || messages.length === 0) return;
    this.heardByBridge = this.now;
    for (const text of messages) this.#end?.send(text);
  }

  /** When a condition was met, counted from `since`; infinite if it was not met in time. */
  until(isSo: () => boolean, since: number, withinMs: number, talk?: Talk): number {
    while (!isSo() && this.now - since < withinMs) {
      if (talk !== undefined) this.#talk(talk, this.now);
      this.step("nothing");
    }
    return isSo() ? this.now - since : Number.POSITIVE_INFINITY;
  }

  #talk({ agentTalks, bridgeTalks, everyMs }: Talk, ms: number): void {
    if (ms % everyMs !== 0) return;
    if (agentTalks) this.#computer.queueEvent("noise", ms);
    if (bridgeTalks) this.computers.list()[0]?.acknowledge("req-none");
  }
}

async function withScene(run: (scene: Scene) => void): Promise<void> {
  const scene = await Scene.start();
  try {
    run(scene);
  } finally {
    scene.close();
  }
}

const talk = {
  agentTalks: fc.boolean(),
  bridgeTalks: fc.boolean(),
  everyMs: fc.constantFrom(50, 1_000, 5_000, 14_000, 16_000, 29_000, 44_000),
};
const phase: fc.Arbitrary<Phase> = fc.record({
  ...talk,
  // Two consecutive stalls would be one long one.
  seconds: fc.integer({ min: 5, max: 120 }),
  stall: fc.constantFrom<Stall>("nothing", "line", "bridge", "game", "ticks"),
  stallSeconds: fc.integer({ min: 1, max: 20 }),
});

describe("a link in the game, whichever side talks", () => {
  it("is never dropped while both sides are well", async () => {
    const talking: Phase = {
      ...{ agentTalks: true, bridgeTalks: false, everyMs: 50, seconds: 120 },
      ...{ stall: "nothing", stallSeconds: 1 },
    };
    await fc.assert(
      fc.asyncProperty(fc.array(phase, { minLength: 1, maxLength: 5 }), (phases) =>
        withScene((scene) => {
          for (const each of phases) scene.play(each);
          scene.stall("nothing", 60);
          const { dialled, hungUp } = scene;
          expect({ dialled, hungUp }).toEqual({ dialled: 1, hungUp: 0 });
          expect(scene.computers.list().map(({ state }) => state)).toEqual(["live"]);
        }),
      ),
      { numRuns: 25, examples: [[[talking]], [[{ ...talking, bridgeTalks: true }]]] },
    );
  }, 120_000);

  it("is given up by a computer that receives nothing, and not before", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(phase, { maxLength: 2 }),
        fc.boolean(),
        fc.record(talk),
        (phases, deaf, noise) =>
          withScene((scene) => {
            for (const each of phases) scene.play(each);
            // A ping follows the last stall, so that game time and real time are in step from then
            // on.
            scene.stall("nothing", 20);
            scene.cut = { toAgent: true, toBridge: deaf };
            const { heardByAgent: since } = scene;
            const noticed = scene.until(() => scene.hungUp > 0, since, 2 * NOTICE_MS, noise);
            expect(noticed).toBeGreaterThanOrEqual(3 * heartbeatMs);
            expect(noticed).toBeLessThanOrEqual(NOTICE_MS + 2 * STEP_MS);
          }),
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  it("is marked and then dropped by a bridge that receives nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(phase, { maxLength: 2 }), fc.record(talk), (phases, noise) =>
        withScene((scene) => {
          for (const each of phases) scene.play(each);
          scene.stall("nothing", 5);
          scene.cut = { toAgent: false, toBridge: true };
          const { heardByBridge: since, registry } = scene;
          const isMarked = () => scene.computers.list()[0]?.state === "unresponsive";
          expect(scene.until(isMarked, since, dropAfterMs, noise)).toBeLessThanOrEqual(
            unresponsiveAfterMs + CHECK_MS + STEP_MS,
          );
          const dropped = scene.until(() => registry.size === 0, since, 2 * dropAfterMs, noise);
          expect(dropped).toBeGreaterThanOrEqual(dropAfterMs);
          expect(dropped).toBeLessThanOrEqual(dropAfterMs + CHECK_MS + STEP_MS);
          expect(scene.hungUp).toBe(0);
        }),
      ),
      { numRuns: 10 },
    );
  }, 120_000);
});
