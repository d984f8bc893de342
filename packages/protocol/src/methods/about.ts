import { z } from "zod";
import { count, name, number } from "../link/bounds.js";
import { luaArray } from "../link/lua.js";

const AboutComputerResultSchema = z.object({
  /** Grouped by kind; `name` only where there is one of a kind, `size` only for monitors. */
  attached: luaArray(
    z.object({ kind: name, count, name: name.optional(), size: name.optional() }),
    64,
  ).default([]),
  kinds: count.default(0),
  programs: luaArray(name, 64).default([]),
  programCount: count.default(0),
  tabs: luaArray(name, 64).default([]),
  fuel: z.union([number, z.literal("unlimited")]).optional(),
});

export type AboutComputer = z.infer<typeof AboutComputerResultSchema>;

export const aboutMethods = {
  "about-computer": { params: z.object({}), result: AboutComputerResultSchema },
} as const;
