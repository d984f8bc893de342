import { z } from "zod";

/** Says which computer is meant. What the text may be is decided by the registry's selector alone. */
export const oneComputer = z.union([z.int().nonnegative(), z.string().min(1).max(200)]);

export const computerId = oneComputer.describe("The computer's id or label.");
