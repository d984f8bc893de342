import { type EventWatch, utf8Length } from "@ccbridge/protocol";
import type { EventPage, LoggedEvent } from "@ccbridge/registry";
import { z } from "zod";
import { showLuaValue } from "../../../format/lua-value.js";
import { inline, toJson } from "../../../format/set-apart.js";

const PAGE_BYTES = 8_000;
const ARGUMENT_LENGTH = 1_500;
const ARGUMENTS_LENGTH = 6_000;

export const EventReportSchema = z.object({
  seq: z.int().describe("The event's number in the log of this computer."),
  time: z.string().describe("When it reached the bridge."),
  name: z.string(),
  args: z.array(z.unknown()).describe("Its arguments, in order; null for nil."),
  dropped: z.int().optional().describe("Watched events lost just before it."),
  truncated: z.boolean().optional().describe("Whether the arguments were cut."),
});

type EventReport = z.infer<typeof EventReportSchema>;

export function showEvent(event: LoggedEvent): { report: EventReport; line: string } {
  const { seq, name, dropped } = event;
  const share = Math.floor(ARGUMENTS_LENGTH / Math.max(1, event.args.length));
  const shown = event.args.map((value) => {
    const type = typeof value === "string" ? "string" : "table";
    return showLuaValue({ type, value }, Math.min(ARGUMENT_LENGTH, share));
  });
  const cut = event.truncated || shown.some(({ value }) => value.truncated === true);
  const time = new Date(event.time).toISOString();
  const notes = [dropped > 0 ? ` [${dropped} before it were lost]` : "", cut ? " [cut]" : ""];
  const texts = shown.map(({ text }) => text.replace(/ \(cut\)$/, ""));
  const values = texts.length === 0 ? "" : ` ${texts.join(", ")}`;
  return {
    report: {
      seq,
      time,
      name,
      args: shown.map(({ value }) => value.value ?? null),
      ...(dropped > 0 ? { dropped } : {}),
      ...(cut ? { truncated: true } : {}),
    },
    line: `#${seq} ${time} ${inline(name)}${values}${notes.join("")}`,
  };
}

export interface ShownPage extends EventPage {
  reports: EventReport[];
  lines: string[];
}

export async function eventPage(
  read: (limit: number) => Promise<EventPage>,
  limit: number,
): Promise<ShownPage> {
  const page = await read(limit);
  const reports: EventReport[] = [];
  const lines: string[] = [];
  let bytes = 0;
  for (const event of page.events) {
    const { report, line } = showEvent(event);
    bytes += utf8Length(line) + 1;
    // At least one event: each is bounded.
    if (bytes > PAGE_BYTES && lines.length > 0) break;
    reports.push(report);
    lines.push(line);
  }
  const isWhole = reports.length === page.events.length;
  return { ...(isWhole ? page : await read(reports.length)), reports, lines };
}

export function watchText({ name, filter }: EventWatch): string {
  const conditions = Object.entries(filter ?? {}).map(
    ([position, value]) => `argument ${inline(position)} is ${toJson(value)}`,
  );
  const what = inline(name);
  return conditions.length === 0 ? what : `${what} where ${conditions.join(" and ")}`;
}
