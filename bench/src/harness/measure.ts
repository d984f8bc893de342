import { median, quantile } from "./stats.js";

/** What a measure compares, and what may come out. */
export interface Measure {
  id: string;
  title: string;
  unit: string;
  /** The ratio of bridge to floor must be at most or at least this. */
  bound: { atMost: number } | { atLeast: number };
  /**
   * How often its processes are started. V8 and the scheduler treat the same program a little differently each time,
   * so that many rounds in one life are worth less than a few in each of several. @default 1
   */
  lives?: number;
  run(): Promise<Round[]>;
}

/** One measurement of one side. */
export interface Measured {
  value: number;
  /** What it cost the server's process per call, in microseconds of CPU time. */
  cpuMicros?: number;
}

/** One comparison. Both sides were measured one right after the other. */
export interface Round {
  bridge: Measured;
  floor: Measured;
}

export interface Result {
  id: string;
  title: string;
  unit: string;
  bound: Measure["bound"];
  rounds: number;
  bridge: number;
  floor: number;
  /** The median of the rounds' ratios, and their quartiles. */
  ratio: number;
  quartiles: [number, number];
  /** CPU time of the server's process per call, in microseconds. */
  cpuMicros?: { bridge: number; floor: number };
  pass: boolean;
}

/** Ratios are taken within a round and only then summed up: other load on the machine cancels out. */
export async function runMeasure({ run, lives = 1, ...measure }: Measure): Promise<Result> {
  const rounds: Round[] = [];
  for (let life = 0; life < lives; life++) rounds.push(...(await run()));
  const ratios = rounds.map(({ bridge, floor }) => bridge.value / floor.value);
  const ratio = median(ratios);
  const { bound } = measure;
  const cpu = (side: keyof Round) => median(rounds.map((round) => round[side].cpuMicros ?? NaN));
  const cpuMicros = { bridge: cpu("bridge"), floor: cpu("floor") };
  return {
    ...measure,
    rounds: rounds.length,
    bridge: median(rounds.map(({ bridge }) => bridge.value)),
    floor: median(rounds.map(({ floor }) => floor.value)),
    ratio,
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    ...(Number.isNaN(cpuMicros.bridge + cpuMicros.floor) ? {} : { cpuMicros }),
    pass: "atMost" in bound ? ratio <= bound.atMost : ratio >= bound.atLeast,
  };
}

/**
 * Measures both sides once per round. Who begins changes from round to round, so that neither side
 * always runs on what the other left behind.
 */
export async function interleave(
  rounds: number,
  sides: { bridge(): Promise<Measured>; floor(): Promise<Measured> },
): Promise<Round[]> {
  const results: Round[] = [];
  for (let i = 0; i < rounds; i++) {
    if (i % 2 === 0) {
      const bridge = await sides.bridge();
      results.push({ bridge, floor: await sides.floor() });
    } else {
      const floor = await sides.floor();
      results.push({ bridge: await sides.bridge(), floor });
    }
  }
  return results;
}
