import type { HistoricCall, HistoryEntry } from "@ccbridge/registry";
import { timeText } from "../core/clock.js";
import { afterBar, block, excerpt, inline, toJson } from "../format/set-apart.js";
import { cutEnd } from "../format/text.js";

const DETAIL_LENGTH = 160;
const WHOLE_BYTES = 4_000;

/** One thing that happened, on one line. */
export function entryLine(entry: HistoryEntry): string {
  const time = timeText(entry.time);
  switch (entry.what) {
    case "call":
      return `${time} ${callText(entry)} ${afterBar(callDetail(entry))}`;
    case "event": {
      const args = entry.args.length === 0 ? "" : ` ${afterBar(short(toJson(entry.args)))}`;
      return `${time} event ${inline(entry.name)} of ${entry.provider}${args}`;
    }
    case "link": {
      const reason = entry.reason === null ? "" : ` ${afterBar(short(entry.reason))}`;
      return `${time} ${entry.provider} ${entry.change}${reason}`;
    }
  }
}

function callText(call: HistoricCall): string {
  const { tool, client, targets, outcome, job, approvedBy, trace } = call;
  const where = targets.length === 0 ? "" : ` on ${targets.map(({ name }) => name).join(", ")}`;
  const more = [
    outcome,
    ...(job === null ? [] : [`job ${job}`]),
    ...(approvedBy === null ? [] : [`allowed by ${inline(approvedBy)}`]),
    `trace ${trace}`,
  ];
  return `${inline(tool)} by ${inline(client)}${where}: ${more.join(", ")}`;
}

function callDetail({ args, answer, outcome }: HistoricCall): string {
  const asked = short(toJson(args));
  return outcome === "ok" || answer === "" ? asked : `${asked} -> ${short(answer)}`;
}

function short(text: string): string {
  return cutEnd(text, DETAIL_LENGTH);
}

/** A call with all that is kept of it. */
export function wholeCall(call: HistoricCall): string[] {
  const { software, session, durationMs, args, answer } = call;
  const by = software === null ? "" : `, client program ${inline(software)}`;
  return [
    `${timeText(call.time)} ${callText(call)}`,
    `Took ${durationMs} ms, session ${session}${by}. Its arguments, long ones shortened:`,
    block(excerpt(toJson(args, 1), WHOLE_BYTES)),
    ...(answer === ""
      ? ["No answer is kept."]
      : ["Its answer:", block(excerpt(answer, WHOLE_BYTES))]),
  ];
}
