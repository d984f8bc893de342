import { methods, type TurtlePlace } from "@ccbridge/protocol";

export type Position = NonNullable<TurtlePlace["position"]>;

const placing: ReadonlySet<string> = new Set(["turtle-status", "set-position", "turtle-run"]);

/** Where a turtle says to be in an answer: in its status, or at the end of what it did. */
export function saidPlace(method: string, answer: unknown): Position | undefined {
  if (!placing.has(method)) return undefined;
  return methods["set-position"].result.safeParse(answer).data?.position;
}
