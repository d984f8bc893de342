import type { CallRow } from "@ccbridge/protocol/dashboard";
import { Fragment } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { CallList, noFilter } from "../calls.js";
import { dayText } from "../parts/time.js";
import { mayDecide } from "../wire/hooks.js";
import { Call, callStates, stateNames } from "./call.js";
import { Permissions } from "./permissions.js";
import { Waiting } from "./waiting.js";

export function Activity() {
  const calls = useMemo(() => new CallList(), []);
  useEffect(() => calls.follow(), []);
  return (
    <section class="stack">
      <div class="head">
        <h1>Activity</h1>
      </div>
      {mayDecide() && <Waiting />}
      {mayDecide() && <Permissions />}
      <Filters calls={calls} />
      {calls.problem.value !== undefined && <p class="problem">{calls.problem.value}</p>}
      {calls.shown.value.length === 0 ? (
        <Nothing calls={calls} />
      ) : (
        <Days rows={calls.shown.value} />
      )}
      {calls.hasMore.value && (
        <button type="button" disabled={calls.isLoading.value} onClick={() => void calls.earlier()}>
          Show earlier calls
        </button>
      )}
    </section>
  );
}

function Filters({ calls }: { calls: CallList }) {
  const { text, client, key, state, actsOnly, until, withLooks } = calls.filter.value;
  return (
    <search class="tools">
      <input
        type="search"
        aria-label="Search by tool, client, computer, code or answer"
        placeholder="Search tool, client, computer, code …"
        value={text}
        onInput={({ currentTarget }) => calls.set({ text: currentTarget.value })}
      />
      <select
        aria-label="Outcome"
        value={state}
        onChange={({ currentTarget }) =>
          calls.set({ state: callStates.find((name) => name === currentTarget.value) ?? "" })
        }
      >
        <option value="">All outcomes</option>
        {callStates.map((name) => (
          <option key={name} value={name}>
            {stateNames[name]}
          </option>
        ))}
      </select>
      <select
        aria-label="Client"
        value={client}
        onChange={({ currentTarget }) => calls.set({ client: currentTarget.value })}
      >
        <option value="">All clients</option>
        {calls.clients.value.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Computer"
        value={key}
        onChange={({ currentTarget }) => calls.set({ key: currentTarget.value })}
      >
        <option value="">All computers</option>
        {[...calls.providers.value].map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
      <label class="check">
        up to
        <input
          type="date"
          value={until}
          onChange={({ currentTarget }) => calls.set({ until: currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={actsOnly}
          onChange={({ currentTarget }) => calls.set({ actsOnly: currentTarget.checked })}
        />
        hide read-only calls
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={withLooks}
          onChange={({ currentTarget }) => calls.set({ withLooks: currentTarget.checked })}
        />
        show what dashboards read
      </label>
    </search>
  );
}

function Nothing({ calls }: { calls: CallList }) {
  const { withLooks: _, ...wanted } = calls.filter.value;
  const isFiltered = Object.entries(wanted).some(
    ([name, value]) => value !== noFilter[name as keyof typeof noFilter],
  );
  if (calls.isLoading.value) return <p class="muted">Searching …</p>;
  return (
    <div class="card empty">
      <p>{isFiltered ? "No matching calls." : "No client has called a tool yet."}</p>
      <p class="muted small">
        {isFiltered
          ? "Clear the search or the filters."
          : "Calls appear here as they begin, with their code, answer and duration."}
      </p>
    </div>
  );
}

/** Newest first, with a heading for each day. */
function Days({ rows }: { rows: readonly CallRow[] }) {
  const days = new Map<string, CallRow[]>();
  for (const row of rows) {
    const day = dayText(row.at);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return (
    <>
      {[...days].map(([day, calls]) => (
        <Fragment key={day}>
          <h2 class="day">{day}</h2>
          <ol class="calls card">
            {calls.map((call) => (
              <li key={call.trace}>
                <Call call={call} />
              </li>
            ))}
          </ol>
        </Fragment>
      ))}
    </>
  );
}
