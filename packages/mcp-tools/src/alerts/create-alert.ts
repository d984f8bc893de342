import { isMissing, LinkError } from "@ccbridge/registry";
import { z } from "zod";
import type { Alert, AlertOrder, AlertProvider, AlertsAccess, Fired } from "../core/alerts.js";
import { linkEvents } from "../core/alerts.js";
import { changes } from "../core/annotations.js";
import { readUntil, timeText, zoneText } from "../core/clock.js";
import { defineTool, type ToolContext } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import { happeningFilter } from "../core/happening.js";
import type { Kinds } from "../core/kind.js";
import { nearestName } from "../format/nearest-name.js";
import { inline, quoted, toJson } from "../format/set-apart.js";
import { cutEnd, list, pageOf } from "../format/text.js";

const NAME = "create-alert";
const DAY_MS = 86_400_000;
const MAX_DAYS = 90;
/** All alerts of a client and the last deliveries fit into an answer. */
const MAX_CONDITIONS = 160;
const MAX_PLACES = 160;
const MAX_TROUBLE = 160;
const FIRED_BYTES = 1_500;

const provider = z.union([z.int().nonnegative(), z.string().min(1).max(200)]).optional();
const text = z.string().min(1).max(256).optional();

const input = z.object({
  event: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe(
      "Its name (player_*), or linked, unlinked. Without it: lists your alerts, or removes one.",
    ),
  provider: provider.describe("Where: its id, label or name. Default: anywhere."),
  filter: happeningFilter
    .default({})
    .describe(
      'By field, side that went on, or argument: {"player":"An*"}, {"left":true}, {"2":7}.',
    ),
  message: text.describe("What it says before the event."),
  chat: text.describe('Tell a player in the chat, or "@a".'),
  chatBy: provider.describe("Whose chat, or chat box. Default: the only one with a chat."),
  screen: provider.describe("Show it on the screen of this one."),
  monitor: text.describe('On this monitor of it, such as "top".'),
  webhook: z
    .string()
    .max(2_048)
    .optional()
    .describe("POST it to this https URL; the owner allows hosts."),
  times: z.int().min(1).max(1_000).default(1).describe("Ends after this many."),
  everyMs: z
    .int()
    .min(1_000)
    .max(DAY_MS)
    .default(10_000)
    .describe("At most one in this time; the others are counted."),
  until: z.string().max(64).default("7d").describe('"2h", "22:00"; at most 90 days.'),
  remove: text.meta({ description: "The id of one to end.", obvious: true }),
});

type Asked = z.output<typeof input>;
type Way = "inChat" | "onScreen";

const AlertSchema = z.object({
  id: z.string(),
  event: z.string(),
  provider: z.string().nullable(),
  until: z.string(),
  left: z.int().describe("How often it is delivered at most from now on."),
  fired: z.int(),
  trouble: z.string().optional(),
});

export const createAlert = defineTool({
  name: NAME,
  title: "Create an alert",
  description:
    "Tells the player when something happens, although no call waits: on the dashboard, and in the chat, on " +
    "a screen or by a webhook. It survives restarts.",
  input,
  output: z.object({ alerts: z.array(AlertSchema) }),
  annotations: { ...changes, idempotentHint: false, openWorldHint: true },
  secrets: ["webhook"],
  effect: "alerts",
  async handler({ event, remove, ...asked }, context) {
    const { alerts } = context;
    if (alerts === undefined)
      throw new ToolError("This bridge has no alerts.", "Wait for the event in a call.");
    if (event !== undefined && remove !== undefined) {
      throw new ToolError("Give either event or remove, not both.", "Nothing was done.");
    }
    if (event === undefined) return shown(alerts, remove);
    const alert = await alerts.create(await orderOf(event, asked, context));
    return {
      text: [
        `Created: ${sentence(alert)}`,
        alert.trouble === undefined ? undefined : `But: ${alert.trouble}`,
        `No call has to wait for it. End it with ${NAME} ${toJson({ remove: alert.id })}; ${NAME} {} lists yours.`,
      ]
        .filter((line) => line !== undefined)
        .join("\n"),
      structured: () => ({ alerts: [factsOf(alert)] }),
    };
  },
});

function shown(alerts: AlertsAccess, remove: string | undefined) {
  const removed = remove === undefined ? undefined : alerts.remove(remove);
  if (remove !== undefined && removed === undefined) {
    throw new ToolError(
      `You have no alert ${quoted(remove, 64)} (any more).`,
      `${NAME} {} lists yours.`,
    );
  }
  const all = alerts.list();
  const lines = [
    removed === undefined ? undefined : `Removed: ${sentence(removed)}`,
    ...all.map(line),
    all.length === 0 ? "You have no alerts." : undefined,
    ...pageOf(alerts.fired().map(firedLine).reverse(), 0, FIRED_BYTES).items.reverse(),
  ];
  return {
    text: lines.filter((each) => each !== undefined).join("\n"),
    structured: () => ({ alerts: all.map(factsOf) }),
  };
}

function firedLine({ at, alert, text: said, problems }: Fired): string {
  const lost = problems.length === 0 ? "" : ` (not delivered: ${quoted(problems.join("; "), 400)})`;
  return `Fired at ${timeText(at)}: ${alert}: ${quoted(said, 160)}${lost}`;
}

async function orderOf(
  event: string,
  asked: Omit<Asked, "event" | "remove">,
  context: ToolContext,
): Promise<AlertOrder> {
  const { filter, message, times, everyMs, webhook } = asked;
  const isOfLinks = (linkEvents as readonly string[]).includes(event);
  const about = asked.provider === undefined ? undefined : await find(asked.provider, context);
  if (about !== undefined && !isOfLinks) await requireEvent(event, about, context);
  const until = readUntil(asked.until);
  if (until > Date.now() + MAX_DAYS * DAY_MS) {
    throw new ToolError(`until is more than ${MAX_DAYS} days away.`, "Nothing was created.");
  }
  const problem = webhook === undefined ? undefined : context.alerts?.webhookProblem(webhook);
  if (problem !== undefined) throw new ToolError(problem, "Nothing was created.");
  if (asked.monitor !== undefined && asked.screen === undefined) {
    throw new ToolError(
      "monitor needs screen: what the monitor belongs to.",
      "Nothing was created.",
    );
  }
  const by = asked.chat === undefined ? undefined : await chatBy(asked.chatBy, context);
  const on = asked.screen === undefined ? undefined : await find(asked.screen, context);
  requireShows(by, "inChat", context);
  requireShows(on, "onScreen", context);
  const { monitor } = asked;
  return {
    ...{ event, filter, provider: about, message, times, everyMs, until, webhook },
    chat: by && { to: asked.chat ?? "@a", by },
    screen: on && { on, ...(monitor === undefined ? {} : { monitor }) },
  };
}

async function find(
  ref: string | number,
  { providers, settings: { kinds } }: ToolContext,
): Promise<AlertProvider> {
  const found: AlertProvider[] = [];
  let ambiguous: LinkError | undefined;
  for (const { name: kind } of kinds.all) {
    try {
      const { provider } = await providers.events.find({ kind, ref });
      found.push({ key: provider.key, name: provider.name, kind });
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (!isMissing(error)) ambiguous = error;
    }
  }
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only;
  if (only === undefined && ambiguous !== undefined) throw ambiguous;
  const names = found.map(({ name }) => name);
  throw new ToolError(
    only === undefined
      ? `Nothing that is or was linked is called ${quoted(String(ref), 64)}.`
      : `${quoted(String(ref), 64)} may be ${list(names, "or")}.`,
    `Nothing was created. See ${list(listingTools(kinds), "or")}.`,
  );
}

async function requireEvent(
  event: string,
  { key, name, kind }: AlertProvider,
  { providers, settings: { kinds } }: ToolContext,
): Promise<void> {
  const known = kinds.get(kind);
  if (known?.eventsReadBy === undefined) {
    throw new ToolError(`${name} sends no events.`, `It can only be ${list(linkEvents, "or")}.`);
  }
  const view = await providers.events.get(key);
  const names = view === undefined ? undefined : known.events?.names?.(view.provider);
  if (names === undefined || event.includes("*") || names.includes(event)) return;
  const near = nearestName(event, names);
  throw new ToolError(
    `${name} has no event ${quoted(event, 64)}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
    `Nothing was created. There are ${names.map((each) => inline(each)).join(", ")}.`,
  );
}

async function chatBy(ref: Asked["chatBy"], context: ToolContext): Promise<AlertProvider> {
  if (ref !== undefined) return find(ref, context);
  const { kinds } = context.settings;
  const [only, other] = (await context.providers.list()).filter(
    ({ provider: { kind } }) => kinds.get(kind)?.shows?.isUsualChat === true,
  );
  if (only !== undefined && other === undefined) {
    return { key: only.key, name: only.name, kind: only.provider.kind };
  }
  throw new ToolError(
    only === undefined
      ? "Nothing is linked whose chat could be used."
      : `${only.name} and ${other?.name} have a chat.`,
    `Nothing was created. Name ${showing("inChat", kinds)} as chatBy.`,
  );
}

function requireShows(
  provider: AlertProvider | undefined,
  way: Way,
  { settings: { kinds } }: ToolContext,
): void {
  if (provider === undefined || kinds.get(provider.kind)?.shows?.[way] !== undefined) return;
  throw new ToolError(
    `${provider.name} has no ${way === "inChat" ? "chat" : "screen"}.`,
    `Nothing was created. Name ${showing(way, kinds)}.`,
  );
}

/** The nouns of the kinds that can show an alert, as in "a lamp or a door". */
function showing(way: Way, kinds: Kinds): string {
  const able = kinds.all.filter(({ shows }) => shows?.[way] !== undefined);
  return list(
    able.map(({ noun }) => `a ${noun}`),
    "or",
  );
}

function listingTools(kinds: Kinds): string[] {
  return kinds.all.filter(({ eventsReadBy }) => eventsReadBy).map(({ listedBy }) => listedBy);
}

function placesOf({ chat, screen, webhook }: AlertOrder): string {
  const places = [
    "the dashboard",
    chat && `the chat of ${chat.by.name} (${inline(chat.to)})`,
    screen &&
      (screen.monitor === undefined
        ? `the screen of ${screen.on.name}`
        : `the monitor ${inline(screen.monitor)} of ${screen.on.name}`),
    webhook && `the webhook at ${new URL(webhook).host}`,
  ].filter((place) => place !== undefined);
  return cutEnd(list(places, "and"), MAX_PLACES);
}

export function conditionText({ event, filter, provider }: AlertOrder): string {
  const where = provider === undefined ? "" : ` on ${provider.name}`;
  const conditions = Object.entries(filter).map(
    ([name, value]) =>
      `${/^\d+$/.test(name) ? `argument ${name}` : inline(name)} is ${toJson(value)}`,
  );
  const which =
    conditions.length === 0 ? "" : ` where ${cutEnd(list(conditions, "and"), MAX_CONDITIONS)}`;
  return `${inline(event)}${where}${which}`;
}

function sentence(alert: Alert): string {
  const { id, times, fired, until } = alert;
  const left = times - fired;
  const often = left === 1 ? "once" : `up to ${left} times`;
  const end = `${timeText(until)} (${zoneText(until)})`;
  return `${id}: ${conditionText(alert)}. It fires ${often} until ${end} and goes to ${placesOf(alert)}.`;
}

function line(alert: Alert): string {
  const { fired, trouble } = alert;
  const parts = [
    sentence(alert),
    fired === 0
      ? "It has not fired yet."
      : `It has fired ${fired === 1 ? "once" : `${fired} times`}.`,
    trouble && cutEnd(trouble, MAX_TROUBLE),
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

function factsOf(alert: Alert): z.infer<typeof AlertSchema> {
  const { id, event, provider: about, until, times, fired, trouble } = alert;
  return {
    ...{ id, event, provider: about?.name ?? null, fired, left: times - fired },
    until: new Date(until).toISOString(),
    ...(trouble === undefined ? {} : { trouble }),
  };
}
