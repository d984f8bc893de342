import { findComputer } from "@ccbridge/registry";
import { z } from "zod";
import { namesTargets } from "./targets.js";

/** Says which computer a call is for. The registry's selector alone decides what the text may be. */
export const oneComputer = z.union([z.int().nonnegative(), z.string().min(1).max(200)]);

export const computerId = namesTargets(oneComputer, async (selector, providers) => [
  await findComputer(providers, selector),
]).meta({ description: "The computer's id or label.", obvious: true });
