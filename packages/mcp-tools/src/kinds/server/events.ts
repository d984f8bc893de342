import { type EventType, eventTypes } from "@ccbridge/protocol/minecraft";
import type { EventPage, EventsView, LoggedEvent } from "@ccbridge/registry";
import { findServer, LinkError, LinkErrorCode, serverKey } from "@ccbridge/registry";
import { z } from "zod";
import { inline, toJson } from "../../format/set-apart.js";
import { cutEnd } from "../../format/text.js";
import type { LookContext } from "../../resources/define.js";

const EVENT_LENGTH = 1_000;

export const types = z
  .array(z.enum(eventTypes as [EventType, ...EventType[]]))
  .max(eventTypes.length)
  .default([])
  .describe("Only these. Default: all.");

export const EventSchema = z.object({
  server: z.string(),
  seq: z.int(),
  time: z.string(),
  event: z.string(),
  data: z.unknown(),
  dropped: z.int().optional(),
});

export type ServerEvent = z.infer<typeof EventSchema>;

export function toServerEvent(
  { key }: Pick<EventsView, "key">,
  { seq, time, name, args, dropped }: LoggedEvent,
): ServerEvent {
  return {
    server: key.slice(serverKey("").length),
    seq,
    time: new Date(time).toISOString(),
    event: name,
    data: args[0] ?? null,
    ...(dropped > 0 ? { dropped } : {}),
  };
}

/** Player text is inside the JSON at the end; a shortened line may lack the closing quote. */
export function eventLine({ seq, time, event, data, dropped }: ServerEvent): string {
  const lost = dropped === undefined ? "" : `[${dropped} before it were lost] `;
  return `#${seq} ${time} ${lost}${inline(event)} ${cutEnd(toJson(data), EVENT_LENGTH)}`;
}

/** Filters per reader: the log has all events. */
export function wanted(types: readonly string[]) {
  return types.length === 0 ? {} : { watch: types.map((name) => ({ name })) };
}

/** Also finds a server that has left, by name. */
export async function findEvents(
  { providers }: Pick<LookContext, "providers">,
  name: string | undefined,
): Promise<EventsView> {
  try {
    const { key } = await findServer(providers, name);
    const found = await providers.events.get(key);
    if (found !== undefined) return found;
    throw new LinkError(
      LinkErrorCode.notLinked,
      `${name === undefined ? "The server" : `Server ${inline(name)}`} is no longer linked.`,
    );
  } catch (error) {
    const isGone = error instanceof LinkError && error.code === LinkErrorCode.notLinked;
    const gone =
      isGone && name !== undefined ? await providers.events.get(serverKey(name)) : undefined;
    if (gone === undefined) throw error;
    return gone;
  }
}

export function lossLine(page: EventPage): string | undefined {
  const notes = [
    page.restarted ? "That cursor is from an earlier log: this one was restarted." : "",
    page.missed > 0 ? `${page.missed} older events are no longer kept.` : "",
    page.dropped > 0 ? `${page.dropped} events were lost: there were too many.` : "",
  ].filter((note) => note !== "");
  return notes.length === 0 ? undefined : notes.join(" ");
}
