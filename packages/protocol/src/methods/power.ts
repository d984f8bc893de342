import { z } from "zod";
import { cutText } from "../link/bounds.js";

/** What a computer says before it goes off: whether its agent starts with it, as far as it knows. */
const GoingSchema = z.object({ autostart: z.boolean().optional() });

export const powerMethods = {
  /** An empty label removes it. Answers with the label that the game now shows. */
  "set-label": {
    params: z.object({ label: z.string() }),
    result: z.object({ label: cutText(128).optional() }),
  },
  /** Answered before the computer goes down. */
  "reboot-computer": { params: z.object({}), result: GoingSchema },
  /** Answered before the computer goes off. */
  "shutdown-computer": { params: z.object({}), result: GoingSchema },
} as const;
