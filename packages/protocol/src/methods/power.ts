import { z } from "zod";
import { cutText } from "../link/bounds.js";

const GoingSchema = z.object({ autostart: z.boolean().optional() });

export const powerMethods = {
  /** An empty label removes it. Returns the label that the game now shows. */
  "set-label": {
    params: z.object({ label: z.string() }),
    result: z.object({ label: cutText(128).optional() }),
  },
  /** Replaces the agent by the program that the bridge serves; a changed one starts after the answer. */
  "update-agent": {
    params: z.object({}),
    result: z.object({ from: cutText(64), version: cutText(64), changed: z.boolean() }),
  },
  /** Answered before the computer goes down. */
  "reboot-computer": { params: z.object({}), result: GoingSchema },
  "shutdown-computer": { params: z.object({}), result: GoingSchema },
} as const;
