import { z } from "zod";

/** Some clients give up on a call after 60 s, so no call waits longer than this. */
export const MAX_WAIT_MS = 50_000;

const DAY_MS = 86_400_000;

/** How long a call waits for something that continues without it. */
export const waitMs = z.int().min(0).max(MAX_WAIT_MS).optional();

/** How long a job may run before it is stopped in the game. */
export const timeoutMs = z.int().min(1).max(DAY_MS).optional();
