import type { FleetRow } from "@ccbridge/protocol/dashboard";
import type { JobFailure, JobSnapshot, LinkErrorCode, Provider } from "@ccbridge/registry";
import type { Excerpt } from "../format/set-apart.js";
import type { Tool, ToolSettings } from "./define.js";
import type { OfferedCaller } from "./offered.js";
import type { Prompt, Resource } from "./resource.js";
import type { JobChange, KeepingProvider, Undoer } from "./undo.js";

export interface Kind {
  readonly name: string;
  readonly noun: string;
  readonly tools: Readonly<Record<string, readonly Tool[]>>;
  /** The tool that lists its providers: a client that may not use it does not see them elsewhere either. */
  readonly listedBy: string;
  readonly eventsReadBy?: string;
  readonly events?: KindEvents;
  /** How its providers show a text of an alert: the call that a client would make. */
  readonly shows?: KindShows;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  /** What a model reads about it before it sees the tools; `has` says which tools are listed. */
  instructions?(has: (tool: string) => boolean): string | undefined;
  /** What to do after a failure of the link, where that differs from {@link generalHint}. */
  hint?(code: LinkErrorCode, settings: ToolSettings): string | undefined;
  /** What its protocol calls a failure of the link. Without it, texts have no code. */
  wireCode?(code: LinkErrorCode): string | undefined;
  readonly selectorArguments: SelectorArguments;
  /** A provider as structured results name it. Without it, by its name as `provider`. */
  describe?(provider: Provider): Readonly<Record<string, unknown>>;
  /** How its offered tools are called. Without it they run as jobs. */
  readonly offers?: OfferedCaller;
  /** Where its offered tools are, as in "offered in the game". */
  readonly offersFrom?: string;
  /** What a provider does to offer a tool, for a model that writes one. */
  readonly howToOffer?: string;
  readonly jobs?: JobWords;
  /** How what its tools change is undone, by `what` of the change. */
  readonly undo?: Readonly<Record<string, Undoer>>;
  /** What a job says that it changed. */
  changesOf?(job: Pick<JobSnapshot, "id" | "response">): readonly JobChange[];
  /** Takes over what jobs changed from a provider that kept it, oldest first. Rejects when it leaves. */
  collect?(
    from: KeepingProvider,
    save: (changes: readonly JobChange[]) => Promise<void>,
  ): Promise<void>;
  readonly ruleFacts?: Readonly<Record<string, (provider: Provider) => string | null | undefined>>;
  /** A provider in the log. Without it, by its name as `provider`. */
  logFacts?(provider: Provider): Readonly<Record<string, unknown>>;
  /** A provider on the dashboard. Without it, by its noun and name. */
  dashboardFacts?(provider: Provider): DashboardFacts;
  readonly isCountPublic?: boolean;
  /** What clients read when a provider leaves or comes back. Without it, nothing. */
  linkMessage?(provider: Provider, change: "left" | "back"): string;
}

interface KindEvents {
  /** Whether its providers send only events that were asked for. */
  readonly areWatched?: boolean;
  /** The names of all events that a provider sends, if they are known. */
  names?(provider: Provider): readonly string[];
  /** Its arguments by field, where that says more than their order. */
  factsOf?(event: {
    readonly name: string;
    readonly args: readonly unknown[];
  }): Readonly<Record<string, unknown>> | undefined;
}

export interface ShowCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface KindShows {
  /** Whether its chat is meant where an alert does not say whose. */
  readonly isUsualChat?: boolean;
  /** `to` is the name of a player, or @a. */
  inChat?(text: string, to: string): ShowCall;
  onScreen?(text: string, monitor: string | undefined): ShowCall;
}

type DashboardFacts = Pick<FleetRow, "kind" | "id" | "label" | "world" | "advanced"> &
  Partial<Pick<FleetRow, "program" | "lock">>;

export interface SelectorArguments {
  readonly name: string;
  readonly aliases?: readonly string[];
  idOf?(provider: Provider): string | undefined;
  refOf?(provider: Provider, among: readonly Provider[]): string;
  /** Whether the only one left is chosen without being named, although there were others. */
  readonly choosesOnly?: boolean;
  /** The provider that a text selects. Throws an error that names the candidates. */
  select?(ref: string | number, among: readonly Provider[]): Provider;
}

export interface JobWords {
  readonly onFailure?: JobFailure;
  readonly onToolFailure?: JobFailure;
  explainError?(job: JobSnapshot, error: string, failure: JobFailure): JobFailure;
  explainUnknownMethod?(
    job: JobSnapshot,
    settings: ToolSettings,
  ): { readonly message: string; readonly hint: string };
  readonly cannotStop?: string;
  outputHasReturns?(method: string): boolean;
  showOutput?(method: string, output: Excerpt): Excerpt;
  nextStep?(job: JobSnapshot): string | undefined;
  cutValue?(rest: number | undefined): string;
}

export class Kinds {
  readonly all: readonly Kind[];
  readonly aliases: ReadonlyMap<string, string>;
  readonly #byName: ReadonlyMap<string, Kind>;

  constructor(all: readonly Kind[]) {
    this.all = all;
    this.#byName = new Map(all.map((kind) => [kind.name, kind]));
    if (this.#byName.size < all.length) throw new Error("two kinds have the same name");
    this.aliases = new Map(
      all.flatMap(({ selectorArguments: { name, aliases = [] } }) =>
        aliases.map((alias) => [alias, name] as const),
      ),
    );
  }

  get(name: string | undefined): Kind | undefined {
    return name === undefined ? undefined : this.#byName.get(name);
  }

  nounOf({ kind }: Provider): string {
    return this.get(kind)?.noun ?? kind;
  }

  /** A provider's name without its noun, as in "Ran on 12 (Label: miner)". */
  shortName(provider: Provider): string {
    const noun = `${this.nounOf(provider)} `;
    return provider.name.startsWith(noun) ? provider.name.slice(noun.length) : provider.name;
  }

  describe(provider: Provider): Readonly<Record<string, unknown>> {
    return this.get(provider.kind)?.describe?.(provider) ?? { provider: provider.name };
  }

  dashboardFacts(provider: Provider): DashboardFacts {
    return (
      this.get(provider.kind)?.dashboardFacts?.(provider) ?? {
        ...{ kind: this.nounOf(provider), id: null, world: null, advanced: null },
        label: this.shortName(provider),
      }
    );
  }

  beginsWithNoun(text: string): boolean {
    return this.all.some(({ noun }) => text.startsWith(`${noun} `));
  }
}

export function defineKind<K extends Kind>(kind: K): K {
  for (const tool of Object.values(kind.tools).flat()) tool.kind = kind.name;
  return kind;
}
