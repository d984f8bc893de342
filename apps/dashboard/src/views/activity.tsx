import type { CallRow } from "@ccbridge/protocol/dashboard";
import { Fragment } from "preact";
import { type CallList, noFilter, useCalls } from "../calls.js";
import { type Changes, useChanges } from "../changes.js";
import { nameOf } from "../names.js";
import { HistoryTrouble } from "../parts/history-trouble.js";
import { askPerson } from "../parts/question.js";
import { clockText, dayText, durationText } from "../parts/time.js";
import { route } from "../route.js";
import { type Task, tasksOf } from "../tasks.js";
import { mayDecide } from "../wire/hooks.js";
import { Call, callStates, stateNames } from "./call.js";
import { NothingAsked } from "./home.js";
import { Permissions } from "./permissions.js";
import { Undo } from "./undo.js";
import { Waiting } from "./waiting.js";

const MAX_ROWS = 200;

/** What clients and people did, as tasks; weeks back, from the history. */
export function Activity() {
  const calls = useCalls();
  return (
    <section class="stack">
      <div class="head">
        <h1>Activity</h1>
      </div>
      <HistoryTrouble />
      {mayDecide() && <Waiting />}
      {mayDecide() && <Permissions />}
      <Filters calls={calls} />
      {mayDecide() && <Forget calls={calls} />}
      {calls.problem.value !== undefined && <p class="problem">{calls.problem.value}</p>}
      {calls.unseen.value !== null && (
        <p class="problem" role="alert">
          {calls.unseen.value}
        </p>
      )}
      {calls.shown.value.length === 0 ? (
        <Nothing calls={calls} />
      ) : (
        <Days rows={calls.shown.value} isFiltered={isFiltered(calls)} />
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
            {nameOf(each, name)}
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

/** For the owner who has chosen one client or one computer. */
function Forget({ calls }: { calls: CallList }) {
  const { client, key } = calls.filter.value;
  if ((client === "") === (key === "")) return null;
  const name = client || (calls.providers.value.get(key) ?? key);
  const ask = async () => {
    const choice = await askPerson({
      text: `Delete all that is kept of ${name}: calls, events, finished jobs and links? This cannot be undone.`,
      choices: { delete: "Delete" },
    });
    if (choice === "delete") await calls.forget(client === "" ? { key } : { client });
  };
  return (
    <div>
      <button type="button" onClick={() => void ask()}>
        Delete the history of {name}
      </button>
    </div>
  );
}

function Nothing({ calls }: { calls: CallList }) {
  if (calls.isLoading.value) return <p class="muted">Searching …</p>;
  if (!isFiltered(calls)) return <NothingAsked />;
  return (
    <div class="card empty">
      <p>No matching calls.</p>
      <p class="muted small">Clear the search or the filters.</p>
    </div>
  );
}

function isFiltered(calls: CallList): boolean {
  const { withLooks: _, ...wanted } = calls.filter.value;
  return Object.entries(wanted).some(
    ([name, value]) => value !== noFilter[name as keyof typeof noFilter],
  );
}

/** Tasks, newest first, with a heading for each day. */
function Days({ rows, isFiltered }: { rows: readonly CallRow[]; isFiltered: boolean }) {
  const days = new Map<string, Task[]>();
  for (const task of tasksOf(rows, nameOf)) {
    const day = dayText(task.to);
    days.set(day, [...(days.get(day) ?? []), task]);
  }
  const { value } = route;
  const wanted = value.place === "activity" ? value.part : "";
  const changes = useChanges(rows);
  return (
    <>
      {[...days].map(([day, tasks]) => (
        <Fragment key={day}>
          <h2 class="day">{day}</h2>
          <ol class="calls card">
            {tasks.map((task) => (
              <li key={task.id}>
                <TaskRow task={task} isOpen={isFiltered || task.id === wanted} changes={changes} />
              </li>
            ))}
          </ol>
        </Fragment>
      ))}
    </>
  );
}

interface TaskRowProps {
  task: Task;
  isOpen: boolean;
  changes: Changes;
}

function TaskRow({ task, isOpen, changes }: TaskRowProps) {
  const { who, sentence, calls, from, to, failed } = task;
  const own = calls.flatMap(({ trace }) => changes.byTrace.value.get(trace) ?? []);
  const isUndone = own.length > 0 && own.every(({ undoneBy }) => undoneBy !== null);
  return (
    <details class="task" open={isOpen}>
      <summary>
        <span class="task-what">
          <b>{who}</b> {sentence}
        </span>
        {task.isOpen && <span class="badge running">now</span>}
        {failed > 0 && <span class="badge error">{failed} failed</span>}
        {isUndone && <span class="badge">undone</span>}
        <span class="muted small">
          {calls.length} {calls.length === 1 ? "call" : "calls"}, {durationText(to - from)} ·{" "}
          {clockText(to)}
        </span>
      </summary>
      {own.length > 0 && <Undo changes={own} onUndone={changes.reload} />}
      <ol class="calls">
        {calls.slice(0, MAX_ROWS).map((call) => (
          <li key={call.trace}>
            <Call call={call} />
          </li>
        ))}
      </ol>
    </details>
  );
}
