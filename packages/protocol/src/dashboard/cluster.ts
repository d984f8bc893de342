import { z } from "zod";

/** The bridges that work together, as a dashboard shows them. */
export const ClusterSchema = z.object({
  state: z.enum(["connecting", "joined", "alone"]),
  /** Why it is not joined. */
  trouble: z.string().nullable(),
  bridges: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      /** Milliseconds since 1970. */
      startedAt: z.number(),
      /** It takes no new links and stops soon. */
      draining: z.boolean(),
      /** How many providers are linked to it. */
      providers: z.number(),
      /** How long NATS takes to answer it, in milliseconds. */
      natsMs: z.number().nullable(),
      /** What does not work there as it should. */
      notes: z.array(z.string()),
      isThis: z.boolean(),
    }),
  ),
});
