import { ExecLuaResultSchema, methods, type Response, type TurtlePlace } from "@ccbridge/protocol";

/** Where a turtle is, in blocks. */
export type Position = NonNullable<TurtlePlace["position"]>;

/** Where a turtle says to be in an answer: in its status, or at the end of what it did. */
export function saidPlace(method: string, { result }: Response): Position | undefined {
  switch (method) {
    case "turtle-status":
    case "set-position":
      return placeOf(result);
    case "turtle-run":
      // It answers as Lua does: the first value says how the turtle stands.
      return placeOf(ExecLuaResultSchema.safeParse(result).data?.returns[0]?.value);
    default:
      return undefined;
  }
}

function placeOf(value: unknown): Position | undefined {
  return methods["set-position"].result.safeParse(value).data?.position;
}
