import { z } from "zod";
import { localAddress, urlHost } from "../config/addresses.js";
import { isServerCode } from "../config/server-settings.js";

const HEALTH_TIMEOUT_MS = 1_000;
/** More than any bridge sends: the program on the port may be another one. */
const MAX_HEALTH_BYTES = 16_384;

const ClusterSchema = z.object({
  state: z.enum(["connecting", "joined", "alone"]),
  trouble: z.string().max(500).optional(),
  natsMs: z.number().optional(),
  bridges: z.array(
    z.object({
      name: z.string().max(256),
      version: z.string().max(64),
      draining: z.boolean(),
      providers: z.number(),
      notes: z.array(z.string().max(500)),
      natsMs: z.number().optional(),
      isThis: z.boolean(),
    }),
  ),
});

export type ClusterHealth = z.infer<typeof ClusterSchema>;

const HealthSchema = z.object({
  name: z.literal("ccbridge"),
  /** Bridges that do not report a side only serve this on their MCP port. */
  side: z.enum(["mcp", "link", "pages", "servers"]).catch("mcp"),
  version: z.string().max(64).optional().catch(undefined),
  computers: z.number().optional().catch(undefined),
  waiting: z.number().optional().catch(undefined),
  uptimeMs: z.number().optional().catch(undefined),
  offeredServers: z.array(z.string().refine(isServerCode)).optional().catch(undefined),
  linkPort: z.number().optional().catch(undefined),
  mcpPort: z.int().min(1).max(65_535).optional().catch(undefined),
  /** Null: no computer has linked since the bridge started. */
  lastLinkMsAgo: z.number().nullish().catch(undefined),
  lastRefusal: z
    .object({ msAgo: z.number(), reason: z.string().max(200) })
    .nullish()
    .catch(undefined),
  cluster: ClusterSchema.optional().catch(undefined),
});

export type Health = z.infer<typeof HealthSchema>;

/** Asks the program on a local port what it is. Undefined when there is none, or it is not ccbridge. */
export async function askHealth(host: string, port: number): Promise<Health | undefined> {
  return port === 0 ? undefined : healthAt(`http://${urlHost(localAddress(host))}:${port}`);
}

/** Like {@link askHealth}, at any URL. */
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

/** Formats as " (version 1.2.3, 2 computers linked)". */
export function describeHealth({ version, computers, waiting = 0 }: Health): string {
  const facts: string[] = [];
  if (version !== undefined) facts.push(`version ${version.replaceAll(/[^\w.+-]/g, "")}`);
  if (computers !== undefined) {
    facts.push(`${computers} ${computers === 1 ? "computer" : "computers"} linked`);
  }
  if (waiting > 0) facts.push(`${waiting} waiting for approval`);
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

/** Reads the body of an untrusted response. Throws when it is longer than `maxBytes`. */
export async function readAtMost(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error("the answer is too long for a ccbridge");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
