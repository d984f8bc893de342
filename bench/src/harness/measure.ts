import { median, quantile } from "./stats.js";

/** What a measure compares, and what may come out. */
export interface Measure {
  id: string;
  title: string;
  unit: string;
  /** The ratio of bridge to floor must be at most or at least this. */
  bound: { atMost: number } | { atLeast: number };
  run(): Promise<Round[]>;
}

/** One comparison. Both sides were measured one right after the other. */
export interface Round {
  bridge: number;
  floor: number;
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
  pass: boolean;
}

/** Ratios are taken within a round and only then summed up: other load on the machine cancels out. */
export async function runMeasure({ run, ...measure }: Measure): Promise<Result> {
  const rounds = await run();
  const ratios = rounds.map(({ bridge, floor }) => bridge / floor);
  const ratio = median(ratios);
  const { bound } = measure;
  return {
    ...measure,
    rounds: rounds.length,
    bridge: median(rounds.map(({ bridge }) => bridge)),
    floor: median(rounds.map(({ floor }) => floor)),
    ratio,
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    pass: "atMost" in bound ? ratio <= bound.atMost : ratio >= bound.atLeast,
  };
}

/**
 * Measures both sides once per round. Who begins changes from round to round, so that neither side
 * always runs on what the other left behind.
 */
export async function interleave(
  rounds: number,
  sides: { bridge(): Promise<number>; floor(): Promise<number> },
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
