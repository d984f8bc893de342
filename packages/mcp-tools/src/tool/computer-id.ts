import { z } from "zod";

/** Says which computer is meant. What the text may be is decided by the registry's selector alone. */
export const computerId = z
  .union([z.int().nonnegative(), z.string().min(1).max(200)])
  .describe("The computer's id or label.");
