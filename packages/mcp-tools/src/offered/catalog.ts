import { fileHash } from "@ccbridge/protocol";
import {
  isComputer,
  type JobFailure,
  type OfferedTool,
  type ProviderOffer,
  type ProviderPort,
  printable,
  selectComputer,
  selectorOf,
} from "@ccbridge/registry";
import { utf8 } from "../format/bytes.js";
import { cleanText, cutEnd, shownName } from "../format/text.js";
import { jobOutcome, wholeOutput } from "../jobs/report.js";
import { runJob } from "../jobs/run.js";
import type { ToolContext, ToolOutcome } from "../tool/define.js";
import { ToolError } from "../tool/errors.js";
import type {
  BrokenEntry,
  OfferedCaller,
  OfferedEntry,
  OfferedHandle,
  OfferedListing,
  OfferedTimes,
  OfferedTools,
} from "../tool/offered.js";
import { checkArguments } from "./check-arguments.js";
import {
  type InputSchema,
  InputSchemaError,
  readInputSchema,
  signatureOf,
} from "./input-schema.js";
import { fold, type NamedTool, OfferedNames } from "./names.js";

/** What offered tools may take of the list of tools; the rest is found with list-offered-tools. */
const LISTED_BYTES = 10_000;
const MAX_DESCRIPTION = 600;
/** A computer that starts offers its tools one after the other: clients hear of them once. */
const COALESCE_MS = 100;

/** Scopes whose names are remembered. */
const REMEMBERED_SCOPES = 512;

/** What an error of an offered tool means. */
const toolFailure: JobFailure = {
  code: "tool-error",
  hint: "The tool stopped there; what it did before has happened. It is a program on that computer: correct the arguments, or read and mend the program.",
};

interface ReadTool {
  readonly schema: InputSchema;
  readonly signature: string;
}

/** A named tool with what its providers say of it. */
interface Found extends NamedTool {
  readonly offers: readonly ProviderOffer[];
  readonly schema: InputSchema;
  /** The argument that says which provider is meant; undefined when the name stands for one alone. */
  readonly which: string | undefined;
}

/** What providers offer, under the names that clients see. One for all clients, since names are. */
export class OfferedCatalog implements OfferedTools {
  readonly #all: ProviderPort;
  readonly #reserved: readonly string[];
  readonly #callers: ReadonlyMap<string, OfferedCaller>;
  /** Names by scope: those who never see each other's providers need not tell their tools apart. */
  readonly #names = new Map<string, OfferedNames>();
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsubscribe: (() => void) | undefined;
  /** Offers are replaced as a whole, so what was read of a tool stays right for as long as it lives. */
  readonly #read = new WeakMap<OfferedTool, ReadTool | string>();

  /**
   * Reserved are the names of all built-in tools, also of those that are switched off. Kinds of providers
   * without a caller of their own run their tools as jobs.
   */
  constructor(
    all: ProviderPort,
    reserved: Iterable<string>,
    callers: ReadonlyMap<string, OfferedCaller> = new Map(),
  ) {
    this.#all = all;
    this.#reserved = [...reserved];
    this.#callers = callers;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#unsubscribe ??= this.#all.changes.subscribe(({ topic }) => {
      if (topic === "tools") this.#timer ??= setTimeout(() => this.#tell(), COALESCE_MS);
    });
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  async list(providers: ProviderPort): Promise<OfferedListing> {
    const offers = await providers.offered.list();
    const found = await this.#find(offers, providers.scope);
    const entries = found.flatMap(withoutMissing).map((tool) => this.#entryOf(tool));
    const listed = fairShare(entries, LISTED_BYTES);
    return {
      tools: entries.map(({ owner: _, ...entry }) => ({
        ...entry,
        isListed: listed.has(entry.name),
      })),
      broken: offers.flatMap((offer) => this.#brokenOf(offer)),
    };
  }

  async find(name: string, providers: ProviderPort): Promise<OfferedHandle | undefined> {
    const all = await this.#find(await providers.offered.list(), providers.scope);
    const found = all.find(({ shown }) => fold(shown) === fold(name));
    if (found === undefined) return undefined;
    return {
      name: found.shown,
      offeredBy: found.which === undefined ? found.offers[0] : undefined,
      call: (args, context, times) => this.#call(found, args, context, times),
    };
  }

  async #call(
    found: Found,
    args: unknown,
    context: ToolContext,
    times: OfferedTimes = {},
  ): Promise<ToolOutcome> {
    const caller = this.#callers.get(found.offers[0]?.identity.kind ?? "");
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new ToolError(
        `The arguments of ${found.shown} must be an object.`,
        `Nothing was done. Correct them and call ${found.shown} again.`,
      );
    }
    const { offer, rest } = choose(found, args as Record<string, unknown>);
    const problems = checkArguments(found.schema, rest);
    if (problems.length > 0) {
      const message = `The arguments of ${found.shown} are not right. ${problems.join(" ")}`;
      const hint = `Nothing was done. Correct them and call ${found.shown} again.`;
      throw caller?.badArguments(`${message} ${hint}`) ?? new ToolError(message, hint);
    }
    const tool = offer.tools.find(({ name: offered }) => offered === found.offered);
    if (caller !== undefined && tool !== undefined) {
      return caller.call({ offer, tool, args: rest }, context);
    }
    const reading = await runJob(context, offer.key, {
      method: "call-tool",
      params: { name: found.offered, arguments: rest },
      summary: cutEnd(printable(`${found.shown} ${JSON.stringify(rest)}`), 80),
      onFailure: toolFailure,
      ...times,
    });
    return jobOutcome(reading.job, wholeOutput(reading), context.settings);
  }

  #tell(): void {
    this.#timer = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  /** The tools of some offers. All offers are named first: names do not depend on who looks. */
  async #find(visible: readonly ProviderOffer[], scope: string | undefined): Promise<Found[]> {
    const all = await this.#all.offered.list();
    const named = this.#namesOf(scope ?? "").assign(
      all
        .filter(({ identity }) => identity.scope === undefined || identity.scope === scope)
        .map((offer) => ({
          key: offer.key,
          tag: tagOf(offer),
          tools: offer.tools.flatMap((tool) => {
            const read = this.#readTool(tool);
            // Kinds never share a name: the argument that says which is not the same.
            const signature =
              typeof read === "string" ? "" : `${offer.identity.kind} ${read.signature}`;
            return typeof read === "string" ? [] : [{ name: tool.name, signature }];
          }),
        })),
    );
    return named.flatMap((tool) => this.#found(tool, visible));
  }

  #namesOf(scope: string): OfferedNames {
    const names = this.#names.get(scope) ?? new OfferedNames(this.#reserved);
    // The one that was used last goes last.
    this.#names.delete(scope);
    this.#names.set(scope, names);
    const [oldest] = this.#names.keys();
    if (this.#names.size > REMEMBERED_SCOPES && oldest !== undefined) this.#names.delete(oldest);
    return names;
  }

  #found(tool: NamedTool, visible: readonly ProviderOffer[]): Found[] {
    const offers = visible.filter(({ key }) => tool.providers.includes(key));
    const first = offers[0]?.tools.find(({ name }) => name === tool.offered);
    const read = first === undefined ? undefined : this.#readTool(first);
    if (read === undefined || typeof read === "string") return [];
    const { schema } = read;
    return [
      { ...tool, offers, schema, which: tool.isShared ? whichOf(offers, schema) : undefined },
    ];
  }

  #entryOf(found: Found): OwnedEntry {
    const caller = this.#callers.get(found.offers[0]?.identity.kind ?? "");
    return describeEntry(found, caller?.origin ?? "in the game");
  }

  #readTool(tool: OfferedTool): ReadTool | string {
    const known = this.#read.get(tool);
    if (known !== undefined) return known;
    const read = readTool(tool);
    this.#read.set(tool, read);
    return read;
  }

  #brokenOf({ name: provider, tools, broken }: ProviderOffer): BrokenEntry[] {
    const unreadable = tools.flatMap((tool) => {
      const read = this.#readTool(tool);
      return typeof read === "string" ? [{ file: tool.name, problem: read }] : [];
    });
    const missing = tools.flatMap(({ name, missing: needs = [] }) =>
      needs.length === 0
        ? []
        : [{ file: name, problem: `it needs what is not granted: ${needs.join(", ")}` }],
    );
    return [...broken, ...unreadable, ...missing].map(({ file, problem }) => ({
      provider,
      file: shownName(file),
      problem: cutEnd(printable(problem), 300),
    }));
  }
}

function readTool({ inputSchema }: OfferedTool): ReadTool | string {
  try {
    const schema = readInputSchema(inputSchema);
    return { schema, signature: signatureOf(schema) };
  } catch (error) {
    if (error instanceof InputSchemaError) return error.message;
    throw error;
  }
}

/** Made of what a provider keeps over reboots: its key, and for a computer its id, which people know. */
function tagOf({ key, identity }: ProviderOffer): string {
  const hash = fileHash(utf8(key)).slice(5, 11);
  return isComputer(identity) ? `${identity.computerId}_${hash}` : hash;
}

function whichOf(offers: readonly ProviderOffer[], { properties }: InputSchema): string {
  const usual = computersOf(offers).length > 0 ? "computerId" : "page";
  return (
    [usual, "provider", "offeredBy"].find((name) => !Object.hasOwn(properties, name)) ?? "_which"
  );
}

/** The provider that a call means, and the arguments that are the tool's own. */
function choose(found: Found, args: Record<string, unknown>) {
  const { which, offers, shown } = found;
  const [only] = offers;
  if (which === undefined) {
    if (only === undefined) throw new Error(`${shown} is offered by nobody`);
    return { offer: only, rest: args };
  }
  const { [which]: wanted, ...rest } = args;
  if (typeof wanted !== "string" && typeof wanted !== "number") {
    throw new ToolError(
      `${shown} is or was offered by more than one, so ${which} must say which is meant: ${choices(offers)}.`,
      `Nothing was done. Call ${shown} again with ${which}.`,
    );
  }
  return { offer: selectOffer(wanted, offers), rest };
}

function selectOffer(wanted: string | number, offers: readonly ProviderOffer[]): ProviderOffer {
  const computers = computersOf(offers);
  const key =
    computers.length > 0
      ? selectComputer(wanted, computers).key
      : offers.find((offer) => tagOf(offer) === String(wanted))?.key;
  const offer = offers.find((each) => each.key === key);
  if (offer !== undefined) return offer;
  throw new ToolError(
    `"${cutEnd(printable(String(wanted)), 64)}" does not offer it. It is offered by ${choices(offers)}.`,
    "Nothing was done. Call again with one of these.",
  );
}

function computersOf(offers: readonly ProviderOffer[]) {
  return offers.flatMap(({ key, identity }) => (isComputer(identity) ? [{ key, identity }] : []));
}

function choices(offers: readonly ProviderOffer[]): string {
  const computers = computersOf(offers);
  return offers
    .slice(0, 10)
    .map((offer) => {
      const { identity, name } = offer;
      const ref = isComputer(identity) ? selectorOf(identity, computers) : tagOf(offer);
      return `"${ref}" (${name})`;
    })
    .join(", ");
}

type OwnedEntry = Omit<OfferedEntry, "isListed"> & { readonly owner: string };

/** The tool as far as it may be used; nothing of it when something that it needs is not granted. */
function withoutMissing(found: Found): Found[] {
  const offers = found.offers.filter(({ tools }) =>
    tools.some(({ name, missing }) => name === found.offered && missing === undefined),
  );
  return offers.length === 0 ? [] : [{ ...found, offers }];
}

function describeEntry(
  { shown, offered, offers, schema, which }: Found,
  origin: string,
): OwnedEntry {
  const [first] = offers;
  const tool = first?.tools.find(({ name }) => name === offered);
  const text = cutEnd(cleanText(tool?.description ?? "").trim(), MAX_DESCRIPTION);
  const names = offers.map(({ name }) => name);
  const by = names.slice(0, 5).join(", ") + (names.length > 5 ? ", ..." : "");
  return {
    name: shown,
    description: `Offered ${origin} by ${by}, in its words: ${text === "" ? "(nothing)" : text}`,
    inputSchema: which === undefined ? schema : withWhich(schema, which, offers),
    providers: names,
    owner: first?.key ?? "",
  };
}

function withWhich(schema: InputSchema, which: string, offers: readonly ProviderOffer[]) {
  const description = `Which one is meant: ${choices(offers)}.`;
  return {
    ...schema,
    properties: { [which]: { type: "string", description }, ...schema.properties },
    required: [which, ...(schema.required ?? [])],
  };
}

/** As many entries as fit, one of each provider in turn, so that none takes all of the room. */
function fairShare(entries: readonly OwnedEntry[], maxBytes: number): Set<string> {
  const queues = new Map<string, OwnedEntry[]>();
  for (const entry of entries) {
    const queue = queues.get(entry.owner) ?? [];
    queues.set(entry.owner, queue);
    queue.push(entry);
  }
  const listed = new Set<string>();
  let room = maxBytes;
  while (queues.size > 0) {
    for (const [owner, queue] of queues) {
      const entry = queue.shift();
      if (entry === undefined) queues.delete(owner);
      else {
        const { name, description, inputSchema } = entry;
        const bytes = utf8(JSON.stringify({ name, description, inputSchema })).length;
        if (bytes > room) continue;
        room -= bytes;
        listed.add(name);
      }
    }
  }
  return listed;
}
