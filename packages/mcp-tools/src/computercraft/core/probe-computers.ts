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
import { cutEnd } from "../../format/text.js";
import { waitingText } from "../../format/waiting.js";
import { readOnly } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { computerShape } from "../computer.js";

const ProbeSchema = z.object({
  ...computerShape,
  status: z.enum(["pong", "timeout", "error"]),
  reason: z.string().optional().describe("Why the computer did not answer properly."),
});

/** A probed computer: its line of text, and the same as facts. */
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
      structured: {
        computers: probes.map(({ facts }) => facts),
        ...(waiting > 0 && { waiting }),
      },
    };
  },
});

// Spelled out, without spreads and inner functions: this runs a thousand times in one call.
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
    const line = ownPong(response.result, computerId) ?? `pong from ${computerName(identity)}`;
    return { line, facts: { computerId, label, status: "pong" } };
  } catch (error) {
    if (error instanceof LinkError && error.code === LinkErrorCode.timedOut) {
      const line = `timeout from ${computerName(identity)}`;
      return { line, facts: { computerId, label, status: "timeout" } };
    }
    return failedProbe(computer, error instanceof Error ? error.message : String(error));
  }
}

function failedProbe({ identity }: ComputerView, why: string): Probe {
  const { computerId, label } = identity;
  const reason = cutEnd(printable(why), 200);
  return {
    line: `error from ${computerName(identity)}: ${reason}`,
    facts: { computerId, label, status: "error", reason },
  };
}

/** The computer's own pong, if it has the expected form; its label may be newer than its hello's. */
function ownPong(result: unknown, id: number): string | undefined {
  if (typeof result !== "string" || result.length > 300) return undefined;
  const line = printable(result);
  return line.startsWith(`pong from ${id} (Label: `) && line.endsWith(")") ? line : undefined;
}
