import { median, quantile } from "./stats.js";

export interface Measure {
  id: string;
  title: string;
  unit: string;
  bound: { atMost: number } | { atLeast: number };
  /**
   * How often the processes are restarted. V8 and the scheduler differ from run to run, so a few
   * rounds in each of several runs are worth more than many in one. @default 1
   */
  lives?: number;
  run(): Promise<Round[]>;
}

export interface Measured {
  value: number;
  cpuMicros?: number;
}

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
  ratio: number;
  quartiles: [number, number];
  cpuMicros?: { bridge: number; floor: number };
  pass: boolean;
}

/** Ratios are computed per round, so that other load on the machine cancels out. */
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

/** Alternates which side begins, so that neither always runs after the other. */
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
