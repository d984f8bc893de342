import {
  type ComputerView,
  computerName,
  LinkError,
  LinkErrorCode,
  linkedComputers,
  type ProviderPort,
  printable,
} from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { inline } from "../../../format/set-apart.js";
import { cutEnd } from "../../../format/text.js";
import { computerShape } from "../computer.js";
import { waitingText } from "./waiting.js";

const ProbeSchema = z.object({
  ...computerShape,
  status: z.enum(["pong", "timeout", "error"]),
  reason: z.string().optional().describe("Why the computer did not answer properly."),
});

interface Probe {
  line: string;
  facts: z.infer<typeof ProbeSchema>;
}

export const probeComputers = defineTool({
  name: "probe-computers",
  title: "Probe computers",
  description:
    "Pings every linked computer and says which ones answer: `pong from 12 (Label: base-turtle)`, " +
    "`timeout from ...` or `error from ...`.",
  input: z.object({}),
  output: z.object({
    computers: z.array(ProbeSchema),
    waiting: z.int().optional().describe("How many wait for approval."),
  }),
  annotations: readOnly,
  async handler(_, { providers, settings, pairing }) {
    const computers = await linkedComputers(providers);
    const { probeTimeoutMs } = settings;
    const probes = await Promise.all(
      computers.map((computer) => probe(providers, computer, probeTimeoutMs)),
    );
    const waiting = settings.waiting?.() ?? 0;
    const lines = probes.map(({ line }) => line);
    if (probes.length === 0) lines.push("No computers connected.");
    const isWaiting = waitingText(waiting, pairing !== undefined);
    if (isWaiting !== undefined) lines.push(isWaiting);
    return {
      text: lines.join("\n"),
      structured: () => ({
        computers: probes.map(({ facts }) => facts),
        ...(waiting > 0 && { waiting }),
      }),
    };
  },
});

// No spreads or closures: runs a thousand times per call.
async function probe(
  providers: ProviderPort,
  computer: ComputerView,
  timeoutMs: number,
): Promise<Probe> {
  const { identity, key } = computer;
  const { computerId, label } = identity;
  try {
    const response = await providers.request(key, "ping", undefined, { timeoutMs });
    if (!response.ok) return failedProbe(computer, response.error);
    const current = ownLabel(response.result, computerId);
    const isNew = current !== undefined && current !== label;
    const name = computerName(isNew ? { computerId, label: current } : identity);
    return { line: `pong from ${name}`, facts: { computerId, label, status: "pong" } };
  } catch (error) {
    if (error instanceof LinkError && error.code === LinkErrorCode.timedOut) {
      const line = `timeout from ${computerName(identity)}`;
      return { line, facts: { computerId, label, status: "timeout" } };
    }
    const message = error instanceof Error ? error.message : String(error);
    return failedProbe(computer, message, error instanceof LinkError ? message : undefined);
  }
}

function failedProbe(
  { identity }: ComputerView,
  reason: string,
  shown = inline(reason, 200),
): Probe {
  const { computerId, label } = identity;
  return {
    line: `error from ${computerName(identity)}: ${shown}`,
    facts: { computerId, label, status: "error", reason: cutEnd(reason, 200) },
  };
}

/** The label in the pong may be newer than the hello's. */
function ownLabel(result: unknown, id: number): string | null | undefined {
  if (typeof result !== "string" || result.length > 300) return undefined;
  const start = `pong from ${id} (Label: `;
  if (!result.startsWith(start) || !result.endsWith(")")) return undefined;
  const label = printable(result.slice(start.length, -1));
  return label === "null" ? null : label;
}
