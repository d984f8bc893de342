import { z } from "zod";

/** Says which computer a call is for. The registry's selector alone decides what the text may be. */
export const oneComputer = z.union([z.int().nonnegative(), z.string().min(1).max(200)]);

export const computerId = oneComputer.describe("The computer's id or label.");
