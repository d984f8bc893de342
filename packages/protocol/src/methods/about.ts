import { z } from "zod";
import { count, name, number } from "../link/bounds.js";
import { luaArray } from "../link/lua.js";

/** `about-computer` asks what a computer is for: what is attached, which programs it has, what runs. */
const AboutComputerResultSchema = z.object({
  /** How many peripherals there are of each kind; of one that is alone its name, and the size of a monitor. */
  attached: luaArray(
    z.object({ kind: name, count, name: name.optional(), size: name.optional() }),
    64,
  ).default([]),
  /** How many kinds there are, those included that are left out above. */
  kinds: count.default(0),
  /** The player's own programs, by path without `.lua`. */
  programs: luaArray(name, 64).default([]),
  programCount: count.default(0),
  /** What the player runs in other tabs. */
  tabs: luaArray(name, 64).default([]),
  /** Of a turtle. */
  fuel: z.union([number, z.literal("unlimited")]).optional(),
});

export type AboutComputer = z.infer<typeof AboutComputerResultSchema>;

export const aboutMethods = {
  "about-computer": { params: z.object({}), result: AboutComputerResultSchema },
} as const;
