import { type FleetRow, MAX_SEEN_TURTLES, type TurtleFacts } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  fleet,
  fleetProblem,
  kindFilter,
  kindNames,
  type Order,
  order,
  orders,
  query,
  shownRows,
  stateCounts,
  stateFilter,
  titleOf,
} from "../fleet.js";
import { isPhone } from "../parts/phone.js";
import { State } from "../parts/state.js";
import { Ago, Lasted } from "../parts/time.js";
import { VirtualList } from "../parts/virtual-list.js";
import { computerHref } from "../route.js";
import { watch } from "../wire/connection.js";
import { LOW_FUEL } from "./notices.js";
import { AllUnsaved } from "./unsaved.js";
import { UpdateAgents } from "./update-agents.js";

const ROW_HEIGHT = 64;
const PHONE_ROW_HEIGHT = 78;
/** Debounce: how long scrolling must pause before turtles are queried. */
const SETTLED_MS = 150;
const states = ["all", "live", "unresponsive", "away"] as const;
const stateNames = { all: "All", live: "Live", unresponsive: "Not answering", away: "Away" };
const orderNames: Readonly<Record<Order, string>> = {
  name: "name",
  id: "number",
  state: "state",
  kind: "kind",
  jobs: "running jobs",
  seen: "last seen",
};

export function Fleet() {
  const all = fleet.value;
  const rows = shownRows.value;
  const turtles = useSignal<ReadonlyMap<string, TurtleFacts>>(new Map());
  /** Joined keys of visible turtles: a string, so that an equal list is not a change. */
  const seen = useSignal("");
  const wanted = seen.value;
  useEffect(() => {
    if (wanted === "") return;
    let stop = () => {};
    const timer = setTimeout(() => {
      stop = watch("turtles", { keys: wanted.split("\n") }, (data) => {
        const now = new Map(turtles.peek());
        for (const turtle of data.turtles) now.set(turtle.key, turtle);
        turtles.value = now;
      });
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [wanted]);
  const problem = fleetProblem.value;
  if (all === undefined) {
    return problem === undefined ? (
      <p class="muted pad">Waiting for the bridge …</p>
    ) : (
      <p class="problem">{problem}</p>
    );
  }
  const counts = stateCounts.value;
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
      {problem !== undefined && <p class="problem">{problem}</p>}
      <UpdateAgents />
      <AllUnsaved />
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
            kindFilter.value = currentTarget.value;
          }}
        >
          <option value="all">All kinds</option>
          {kindNames.value.map((kind) => (
            <option key={kind} value={kind}>
              {kind}
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
        <p class="muted pad">No matches. Clear the search or the filters.</p>
      ) : (
        <VirtualList
          label="Providers"
          items={rows}
          rowHeight={isPhone.value ? PHONE_ROW_HEIGHT : ROW_HEIGHT}
          keyOf={({ key }) => key}
          onSeen={(items) => {
            seen.value = items
              .filter(({ kind, state }) => kind === "turtle" && state === "live")
              .slice(0, MAX_SEEN_TURTLES)
              .map(({ key }) => key)
              .join("\n");
          }}
          row={(row) => <Row row={row} turtle={turtles.value.get(row.key)} />}
        />
      )}
    </section>
  );
}

function Row({ row, turtle }: { row: FleetRow; turtle: TurtleFacts | undefined }) {
  const { key, kind, id, world, state, runningJobs, linkedAt, lastSeenAt } = row;
  const locked = row.lock === null ? undefined : "locked";
  const bridge = row.bridge === null ? undefined : `on ${row.bridge}`;
  const facts = [kind, id === null ? undefined : `#${id}`, world ?? undefined, bridge, locked];
  return (
    <a
      class={`row ${state} ${turtle === undefined && runningJobs === 0 ? "brief" : ""}`}
      href={computerHref(key, kind === "turtle" ? "turtle" : "screen")}
    >
      <span class={`block ${kind}`} aria-hidden="true" />
      <span class="who">
        <span class="title">{titleOf(row)}</span>
        <span class="muted small">
          {facts.filter((fact) => fact !== undefined && fact !== titleOf(row)).join(" · ")}
        </span>
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
          {state === "live" && linkedAt !== null && (
            <>
              for <Lasted from={linkedAt} to={null} />
            </>
          )}
          {state !== "live" && lastSeenAt !== null && (
            <>
              seen <Ago at={lastSeenAt} />
            </>
          )}
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
        <span class={`fuel ${typeof fuel === "number" && fuel < LOW_FUEL ? "low" : ""}`}>
          <meter
            min={0}
            max={1}
            low={typeof fuelLimit === "number" ? LOW_FUEL / fuelLimit : 0}
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
