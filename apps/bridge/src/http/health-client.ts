import { z } from "zod";
import { isServerCode } from "../auth/rights/server-code.js";
import { localAddress, urlHost } from "../config/addresses.js";
import { readAtMost } from "./read-at-most.js";

const HEALTH_TIMEOUT_MS = 1_000;
/** More than a bridge ever says about itself: the program on the port may be a stranger. */
const MAX_HEALTH_BYTES = 16_384;

const HealthSchema = z.object({
  name: z.literal("ccbridge"),
  /** Which of a bridge's ports this is; bridges that do not say have it on their MCP port only. */
  side: z.enum(["mcp", "link", "pages", "servers"]).catch("mcp"),
  version: z.string().max(64).optional().catch(undefined),
  computers: z.number().optional().catch(undefined),
  /** Computers that wait for approval. */
  waiting: z.number().optional().catch(undefined),
  uptimeMs: z.number().optional().catch(undefined),
  /** Codes of computers that offer to be Minecraft servers and are not allowed. */
  offeredServers: z.array(z.string().refine(isServerCode)).optional().catch(undefined),
  linkPort: z.number().optional().catch(undefined),
  /** Null: no computer has linked since the bridge started. */
  lastLinkMsAgo: z.number().nullish().catch(undefined),
  lastRefusal: z
    .object({ msAgo: z.number(), reason: z.string().max(200) })
    .nullish()
    .catch(undefined),
});

/** What a ccbridge says about itself. */
export type Health = z.infer<typeof HealthSchema>;

/** Asks the program on a port of this machine who it is. Undefined: nobody, or not a ccbridge. */
export async function askHealth(host: string, port: number): Promise<Health | undefined> {
  return port === 0 ? undefined : healthAt(`http://${urlHost(localAddress(host))}:${port}`);
}

/** The same at any address, such as the public one. */
export async function healthAt(
  origin: string,
  timeoutMs = HEALTH_TIMEOUT_MS,
): Promise<Health | undefined> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${origin}/health`, { signal, redirect: "manual" });
    return HealthSchema.parse(JSON.parse(await readAtMost(response, MAX_HEALTH_BYTES)));
  } catch {
    return undefined;
  }
}

/** The facts of a bridge in brackets, such as " (version 1.2.3, 2 computers linked)". */
export function describeHealth({ version, computers, waiting = 0 }: Health): string {
  const facts: string[] = [];
  if (version !== undefined) facts.push(`version ${version.replaceAll(/[^\w.+-]/g, "")}`);
  if (computers !== undefined) {
    facts.push(`${computers} ${computers === 1 ? "computer" : "computers"} linked`);
  }
  if (waiting > 0) facts.push(`${waiting} waiting for approval`);
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}
