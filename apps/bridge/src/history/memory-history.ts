import type { HistoricCall, HistoryFilter, Provider } from "@ccbridge/registry";
import type { Sight } from "@ccbridge/store";
import type { Trail } from "../calls/audit/trail.js";
import type { HistorySource } from "./client-history.js";
import { toRow } from "./keep-calls.js";

type Row = ReturnType<typeof toRow>;

const MAX_ELSEWHERE = 5_000;
/** Their ids are beyond those of the calls of this process. */
const FIRST_ELSEWHERE = 2 ** 40;

/** The last calls of other bridges, for one without a history file. */
export class CallsElsewhere {
  readonly #rows: (Row & { readonly id: number })[] = [];
  #count = FIRST_ELSEWHERE;

  add(row: Row): void {
    this.#rows.push({ ...row, id: this.#count++ });
    if (this.#rows.length > MAX_ELSEWHERE) this.#rows.shift();
  }

  get rows(): readonly (Row & { readonly id: number })[] {
    return this.#rows;
  }
}

/** The last calls of this process, and of other bridges, for a bridge without a history file. */
export function memoryHistory(
  trail: Trail,
  providers: () => readonly Provider[],
  elsewhere: CallsElsewhere,
): HistorySource {
  const ended = () =>
    trail.recent().flatMap((record) => {
      if (record.outcome === undefined) return [];
      return [{ ...toRow(record, record.outcome), id: record.id }];
    });
  const calls = (filter: Omit<HistoryFilter, "limit">, sight: Sight) =>
    [...ended(), ...elsewhere.rows]
      .map(({ path, ...row }) => ({ call: { ...row, what: "call" } as const, path }))
      .filter(({ call, path }) => fits(call, path, filter, sight))
      .map(({ call }) => call)
      .sort((a, b) => b.time - a.time || b.id - a.id);
  return {
    async timeline({ what, before, limit, ...filter }, sight = all) {
      if (what?.includes("call") === false) return { entries: [], next: undefined };
      const [beforeTime = Number.POSITIVE_INFINITY, beforeId = 0] = (before?.split("-") ?? []).map(
        Number,
      );
      const earlier = calls(filter, sight).filter(
        ({ time, id }) => time < beforeTime || (time === beforeTime && id < beforeId),
      );
      const entries = earlier
        .slice(0, limit)
        .map((call) => ({ ...call, cursor: `${call.time}-${call.id}` }));
      const next = entries.length < earlier.length ? entries.at(-1)?.cursor : undefined;
      return { entries, next };
    },
    async summary(filter, sight = all) {
      const changes = calls({ ...filter, acts: true }, sight).flatMap((call) => {
        const { tool, subject, outcome, time: last, client } = call;
        const targets = call.targets.length === 0 ? [{ key: null, name: null }] : call.targets;
        return targets.map(({ key, name: provider }) => ({
          ...{ key, provider, tool, subject, outcome, times: 1, last, clients: [client] },
        }));
      });
      return { changes, since: undefined };
    },
    providers: async () => providers(),
  };
}

const all: Sight = { hidden: [], hiddenEvents: [], withoutTools: [] };

function fits(
  call: HistoricCall,
  path: string | null,
  filter: Omit<HistoryFilter, "limit">,
  sight: Sight,
): boolean {
  const { since = 0, until = Number.POSITIVE_INFINITY, keys } = filter;
  const same = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  const isSeen =
    same(sight.client, call.client) &&
    !sight.withoutTools.includes(call.tool) &&
    !call.targets.some(({ key }) => sight.hidden.includes(key));
  const isAsked =
    call.time >= since &&
    call.time <= until &&
    same(filter.client, call.client) &&
    same(filter.tool, call.tool) &&
    filter.withoutTool !== call.tool &&
    same(filter.outcome, call.outcome) &&
    same(filter.acts, call.acts) &&
    (keys === undefined || call.targets.some(({ key }) => keys.includes(key)));
  if (!isSeen || !isAsked || !contains(path ?? "", filter.path)) return false;
  const { tool, client, software, args, answer, targets, trace } = call;
  const names = targets.map(({ name }) => name);
  const text = [tool, client, software, JSON.stringify(args), answer, ...names].join("\n");
  const words = (filter.text ?? "").split(/\s+/);
  return words.every((word) => word === trace || contains(text, word));
}

function contains(text: string, part: string | undefined): boolean {
  return part === undefined || text.toLowerCase().includes(part.toLowerCase());
}
