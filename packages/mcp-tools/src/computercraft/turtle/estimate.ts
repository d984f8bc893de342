import type { Facing, TurtlePlace, TurtleStep } from "@ccbridge/protocol";

const facings: readonly Facing[] = ["north", "east", "south", "west"];
const ahead = { north: [0, -1], east: [1, 0], south: [0, 1], west: [-1, 0] } as const;
/** What the game needs for a command that shows, and for one that only looks. */
const ACTION_SECONDS = 0.4;
const LOOK_SECONDS = 0.05;
const moves = ["forward", "back", "up", "down"];

export interface Estimate {
  /** One for each move, if none is in vain. */
  fuelNeeded: number;
  seconds: number;
  /** Where it ends, if its place is known. */
  end: Pick<TurtlePlace, "position" | "facing">;
  refuels: boolean;
}

/** What steps would take if all of them succeeded. */
export function estimateSteps(
  steps: readonly TurtleStep[],
  rounds: number,
  { position, facing }: TurtlePlace,
): Estimate {
  let at = position;
  let towards = facing;
  let [fuelNeeded, seconds] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    for (const { op, times = 1, args } of steps) {
      seconds += op === "sleep" ? Number(args?.[0]) : times * secondsOf(op);
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
