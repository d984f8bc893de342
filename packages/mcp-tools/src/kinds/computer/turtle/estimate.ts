import type { Facing, TurtlePlace, TurtleStep } from "@ccbridge/protocol";

const facings: readonly Facing[] = ["north", "east", "south", "west"];
const ahead = { north: [0, -1], east: [1, 0], south: [0, 1], west: [-1, 0] } as const;
const ACTION_SECONDS = 0.4;
const LOOK_SECONDS = 0.05;
const moves = ["forward", "back", "up", "down"];

export interface Estimate {
  fuelNeeded: number;
  seconds: number;
  end: Pick<TurtlePlace, "position" | "facing">;
  refuels: boolean;
}

export function estimateSteps(
  steps: readonly TurtleStep[],
  rounds: number,
  { position, facing }: TurtlePlace,
): Estimate {
  let at = position;
  let towards = facing;
  let [fuelNeeded, seconds] = [0, 0];
  const turnTo = (wanted: Facing) => {
    if (towards !== undefined) seconds += turns(towards, wanted) * ACTION_SECONDS;
    towards = wanted;
  };
  for (let round = 0; round < rounds; round++) {
    for (const { op, times = 1, args = [] } of steps) {
      if (op === "goto") {
        const [x = 0, y = 0, z = 0] = args.map(Number);
        const blocks = at === undefined ? 0 : distance(at, { x, y, z });
        fuelNeeded += blocks;
        seconds += blocks * ACTION_SECONDS;
        at = { x, y, z };
        // The final facing depends on the route, unless the step sets it.
        if (isFacing(args[3])) turnTo(args[3]);
        else if (blocks > 0) towards = undefined;
        continue;
      }
      if (op === "face") {
        if (isFacing(args[0])) turnTo(args[0]);
        continue;
      }
      seconds += op === "sleep" ? Number(args[0]) : times * secondsOf(op);
      if (moves.includes(op)) {
        fuelNeeded += times;
        at = moved(at, towards, op, times);
      } else if (op.startsWith("turn") && towards !== undefined) {
        const step = op === "turnLeft" ? -times : times;
        towards = facings[(((facings.indexOf(towards) + step) % 4) + 4) % 4];
      }
    }
  }
  return {
    fuelNeeded,
    seconds: Math.round(seconds * 10) / 10,
    end: {
      ...(at === undefined ? {} : { position: at }),
      ...(towards === undefined ? {} : { facing: towards }),
    },
    refuels: steps.some(({ op }) => op === "refuel"),
  };
}

export function needsPlace(steps: readonly TurtleStep[]): boolean {
  return steps.some(({ op }) => op === "goto" || op === "face");
}

const isFacing = (value: unknown): value is Facing => facings.some((facing) => facing === value);

type Position = NonNullable<TurtlePlace["position"]>;

function distance(from: Position, to: Position): number {
  return Math.abs(from.x - to.x) + Math.abs(from.y - to.y) + Math.abs(from.z - to.z);
}

function turns(from: Facing, to: Facing): number {
  const right = (facings.indexOf(to) - facings.indexOf(from) + 4) % 4;
  return right === 3 ? 1 : right;
}

function secondsOf(op: string): number {
  return /^(detect|inspect|select|compare)/.test(op) ? LOOK_SECONDS : ACTION_SECONDS;
}

function moved(
  at: TurtlePlace["position"],
  facing: Facing | undefined,
  op: string,
  times: number,
): TurtlePlace["position"] {
  if (at === undefined) return undefined;
  if (op === "up") return { ...at, y: at.y + times };
  if (op === "down") return { ...at, y: at.y - times };
  if (facing === undefined) return undefined;
  const sign = op === "back" ? -times : times;
  const [x, z] = ahead[facing];
  return { ...at, x: at.x + sign * x, z: at.z + sign * z };
}
