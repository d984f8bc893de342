import { type FleetRow, MAX_SEEN_TURTLES, type TurtleFacts } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  fleet,
  kindFilter,
  type Order,
  order,
  orders,
  query,
  shownRows,
  stateFilter,
  titleOf,
} from "../fleet.js";
import { State } from "../parts/state.js";
import { Ago } from "../parts/time.js";
import { VirtualList } from "../parts/virtual-list.js";
import { computerHref } from "../route.js";
import { watch } from "../wire/connection.js";

const ROW_HEIGHT = 64;
const states = ["all", "live", "unresponsive", "away"] as const;
const stateNames = { all: "All", live: "Live", unresponsive: "Not answering", away: "Away" };
const kinds = ["all", "computer", "turtle", "pocket", "command", "page", "server"] as const;
const orderNames: Readonly<Record<Order, string>> = {
  name: "name",
  id: "number",
  state: "state",
  kind: "kind",
  jobs: "running jobs",
};

/** Everybody who is linked, or was. */
export function Fleet() {
  const all = fleet.value;
  const rows = shownRows.value;
  const turtles = useSignal<ReadonlyMap<string, TurtleFacts>>(new Map());
  const seen = useSignal<readonly string[]>([]);
  const wanted = seen.value.join("\n");
  useEffect(() => {
    if (wanted === "") return;
    return watch("turtles", { keys: wanted.split("\n") }, (data) => {
      const now = new Map(turtles.peek());
      for (const turtle of data.turtles) now.set(turtle.key, turtle);
      turtles.value = now;
    });
  }, [wanted]);
  if (all === undefined) return <p class="muted pad">Waiting for the bridge …</p>;
  const count = (state: FleetRow["state"]) =>
    [...all.values()].filter((row) => row.state === state).length;
  const counts = {
    all: all.size,
    live: count("live"),
    unresponsive: count("unresponsive"),
    away: count("away"),
  };
  return (
    <section class="fleet">
      <div class="head">
        <h1>Fleet</h1>
        <fieldset class="chips" aria-label="Show by state">
          {states.map((state) => (
            <button
              key={state}
              type="button"
              class={`chip ${state}`}
              aria-pressed={stateFilter.value === state}
              onClick={() => {
                stateFilter.value = state;
              }}
            >
              {stateNames[state]} <b>{counts[state]}</b>
            </button>
          ))}
        </fieldset>
      </div>
      <search class="tools">
        <input
          type="search"
          aria-label="Search by label, number, kind or world"
          placeholder="Search label, #number, world …"
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
        <select
          aria-label="Kind"
          value={kindFilter.value}
          onChange={({ currentTarget }) => {
            kindFilter.value = kinds.find((kind) => kind === currentTarget.value) ?? "all";
          }}
        >
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kind === "all" ? "All kinds" : kind}
            </option>
          ))}
        </select>
        <select
          aria-label="Order"
          value={order.value}
          onChange={({ currentTarget }) => {
            order.value = orders.find((name) => name === currentTarget.value) ?? "name";
          }}
        >
          {orders.map((name) => (
            <option key={name} value={name}>
              by {orderNames[name]}
            </option>
          ))}
        </select>
      </search>
      {rows.length === 0 ? (
        <p class="muted pad">Nobody fits. Clear the search or the filters.</p>
      ) : (
        <VirtualList
          label="Providers"
          items={rows}
          rowHeight={ROW_HEIGHT}
          keyOf={({ key }) => key}
          onSeen={(items) => {
            seen.value = items
              .filter(({ kind, state }) => kind === "turtle" && state === "live")
              .slice(0, MAX_SEEN_TURTLES)
              .map(({ key }) => key);
          }}
          row={(row) => <Row row={row} turtle={turtles.value.get(row.key)} />}
        />
      )}
    </section>
  );
}

function Row({ row, turtle }: { row: FleetRow; turtle: TurtleFacts | undefined }) {
  const { key, kind, id, world, state, runningJobs, lastSeenAt } = row;
  const facts = [kind, id === null ? undefined : `#${id}`, world ?? undefined];
  return (
    <a class={`row ${state}`} href={computerHref(key, kind === "turtle" ? "turtle" : "screen")}>
      <span class={`block ${kind}`} aria-hidden="true" />
      <span class="who">
        <span class="title">{titleOf(row)}</span>
        <span class="muted small">{facts.filter((fact) => fact !== undefined).join(" · ")}</span>
      </span>
      <span class="place small">{turtle !== undefined && <Place turtle={turtle} />}</span>
      <span class="jobs small">
        {runningJobs > 0 && (
          <span class="badge">
            {runningJobs} {runningJobs === 1 ? "job" : "jobs"}
          </span>
        )}
      </span>
      <span class="when small">
        <State state={state} />
        <span class="muted">
          {state === "live" || lastSeenAt === null ? "" : <Ago at={lastSeenAt} />}
        </span>
      </span>
    </a>
  );
}

function Place({ turtle }: { turtle: TurtleFacts }) {
  const { fuel, fuelLimit, position, certain } = turtle;
  const share = typeof fuel === "number" && typeof fuelLimit === "number" ? fuel / fuelLimit : 1;
  return (
    <>
      {fuel !== null && (
        <span class={`fuel ${share < 0.1 ? "low" : ""}`}>
          <meter
            min={0}
            max={1}
            low={0.1}
            optimum={1}
            value={share}
            aria-label={`Fuel of this turtle: ${fuel}`}
          />
          fuel {typeof fuel === "number" ? fuel.toLocaleString() : fuel}
        </span>
      )}
      {position !== null && (
        <span class="muted">
          {certain ? "" : "about "}
          {position.x}, {position.y}, {position.z}
        </span>
      )}
    </>
  );
}
