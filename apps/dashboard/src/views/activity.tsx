import type { CallRow } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockText, Lasted } from "../parts/time.js";
import { computerHref } from "../route.js";
import { watch } from "../wire/connection.js";
import { mayDecide } from "../wire/hooks.js";
import { Permissions } from "./permissions.js";
import { Waiting } from "./waiting.js";

const MAX_SHOWN = 300;
const outcomes = ["all", "waiting", "running", "ok", "error", "refused", "asked"] as const;
type Shown = (typeof outcomes)[number];
type State = Exclude<Shown, "all">;

const stateNames: Readonly<Record<State, string>> = {
  waiting: "waiting",
  running: "running",
  ok: "ok",
  error: "error",
  refused: "refused",
  asked: "asked a person",
};

function stateOf({ outcome, waits }: CallRow): State {
  return outcome ?? (waits ? "waiting" : "running");
}

export function Activity() {
  const calls = useSignal<ReadonlyMap<number, CallRow>>(new Map());
  const problem = useSignal<string | undefined>(undefined);
  const query = useSignal("");
  const outcome = useSignal<Shown>("all");
  const actsOnly = useSignal(false);
  const withLooks = useSignal(false);
  useEffect(
    () =>
      watch(
        "activity",
        {},
        (data) => {
          const now = data.full ? new Map<number, CallRow>() : new Map(calls.peek());
          for (const call of data.calls) now.set(call.id, call);
          calls.value = now;
          problem.value = undefined;
        },
        (error) => {
          problem.value = error;
        },
      ),
    [],
  );
  const shown = [...calls.value.values()]
    .filter((call) => withLooks.value || !isLook(call))
    .filter((call) => fits(call, query.value, outcome.value, actsOnly.value))
    .sort((a, b) => b.id - a.id)
    .slice(0, MAX_SHOWN);
  const hasCalls = [...calls.value.values()].some((call) => !isLook(call));
  return (
    <section class="stack">
      <div class="head">
        <h1>Activity</h1>
      </div>
      {mayDecide() && <Waiting />}
      {mayDecide() && <Permissions />}
      <search class="tools">
        <input
          type="search"
          aria-label="Search by tool, client, computer or code"
          placeholder="Search tool, client, computer, code …"
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
        <select
          aria-label="Outcome"
          value={outcome.value}
          onChange={({ currentTarget }) => {
            outcome.value = outcomes.find((name) => name === currentTarget.value) ?? "all";
          }}
        >
          {outcomes.map((name) => (
            <option key={name} value={name}>
              {name === "all" ? "All outcomes" : stateNames[name]}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={actsOnly.value}
            onChange={({ currentTarget }) => {
              actsOnly.value = currentTarget.checked;
            }}
          />
          hide read-only calls
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={withLooks.value}
            onChange={({ currentTarget }) => {
              withLooks.value = currentTarget.checked;
            }}
          />
          show what dashboards read
        </label>
      </search>
      {problem.value !== undefined && <p class="problem">{problem.value}</p>}
      {shown.length === 0 ? (
        <div class="card empty">
          <p>{hasCalls ? "No matching calls." : "No client has called a tool yet."}</p>
          <p class="muted small">
            {hasCalls
              ? "Clear the search or the filters."
              : "Calls appear here as they begin, with their code, answer and duration."}
          </p>
        </div>
      ) : (
        <ol class="calls card">
          {shown.map((call) => (
            <li key={call.id}>
              <Call call={call} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Periodic reads by dashboards, hidden by default. */
function isLook({ software, acts, outcome }: CallRow): boolean {
  return software === "dashboard" && !acts && outcome !== "refused";
}

function fits(call: CallRow, query: string, outcome: Shown, actsOnly: boolean): boolean {
  if (actsOnly && !call.acts) return false;
  if (outcome !== "all" && stateOf(call) !== outcome) return false;
  const text = [
    call.tool,
    call.trace,
    call.client,
    call.software,
    ...call.providers,
    subjectOf(call),
  ]
    .join(" ")
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function subjectOf({ request }: CallRow): string {
  for (const name of ["code", "command", "path", "query", "label"]) {
    const value = request[name];
    if (typeof value === "string") return value;
  }
  const { computerId: _, ...rest } = request;
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

function Call({ call }: { call: CallRow }) {
  const { at, client, software, tool, acts, providers, keys, durationMs, answer } = call;
  const [key] = keys;
  return (
    <details class="call">
      <summary>
        <span class={`badge ${stateOf(call)}`}>{stateNames[stateOf(call)]}</span>
        <span class="call-what">
          <b>{tool}</b> {!acts && <span class="muted small">read-only </span>}
          <code>{subjectOf(call).split("\n", 1)[0]}</code>
        </span>
        <span class="call-where small">{providers.join(", ")}</span>
        <span class="call-who muted small">{software ?? client}</span>
        <span class="call-when muted small">
          {clockText(at)} · <Lasted from={at} to={durationMs === null ? null : at + durationMs} />
        </span>
      </summary>
      <div class="call-more stack">
        <p class="small muted">
          Token {client} · session {call.session} · trace {call.trace}
          {call.job !== null && ` · job ${call.job}`}
          {call.approvedBy !== null && ` · allowed by ${call.approvedBy}`}
          {key !== undefined && (
            <>
              {" · "}
              <a href={computerHref(key)}>open {providers[0]}</a>
            </>
          )}
        </p>
        <h3>Request</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled with the keyboard */}
        <pre class="output" tabIndex={0}>
          {requestText(call)}
        </pre>
        <h3>Answer</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled with the keyboard */}
        <pre class="output" tabIndex={0}>
          {answer ?? noAnswer(call)}
        </pre>
      </div>
    </details>
  );
}

function noAnswer(call: CallRow): string {
  switch (stateOf(call)) {
    case "waiting":
      return "(it waits for a person)";
    case "running":
      return "(it runs)";
    case "asked":
      return "(its client was given a question for a person, and calls again with the answer)";
    default:
      return "(no text)";
  }
}

function requestText({ request }: CallRow): string {
  return Object.entries(request)
    .map(([name, value]) => {
      const isText = typeof value === "string";
      const text = isText ? value : JSON.stringify(value, null, 2);
      return isText && value.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join("\n");
}
