import { z } from "zod";

/** Some clients give a call up after 60 s, so no call waits longer than this. */
export const MAX_WAIT_MS = 50_000;

/** How long a call waits for a job. */
export const waitMs = z.int().min(0).max(MAX_WAIT_MS).optional();
