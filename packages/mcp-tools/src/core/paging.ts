import { z } from "zod";

// `obvious` marks a description that says no more than the argument's name: it is left out of the tool list.

export function offsetOf(things: string) {
  const description = `Skip this many ${things}.`;
  return z.int().nonnegative().default(0).meta({ description, obvious: true });
}

export function limitOf(max: number, usual: number, description = "List at most this many.") {
  return z.int().min(1).max(max).default(usual).meta({ description, obvious: true });
}
