import type { CallRow } from "@ccbridge/protocol/dashboard";
import { nameOf } from "../names.js";
import { clockText, Lasted } from "../parts/time.js";
import { computerHref } from "../route.js";
import { tokenText } from "../said.js";

export const callStates = ["waiting", "running", "ok", "error", "refused", "asked"] as const;
export type CallState = (typeof callStates)[number];

export const stateNames: Readonly<Record<CallState, string>> = {
  waiting: "waiting",
  running: "running",
  ok: "ok",
  error: "error",
  refused: "refused",
  asked: "asked a person",
};

export function stateOf({ outcome, waits }: CallRow): CallState {
  return outcome ?? (waits ? "waiting" : "running");
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

export function Call({ call }: { call: CallRow }) {
  const { at, client, software, tool, acts, providers, keys, durationMs, answer, bridge } = call;
  const [key] = keys;
  const names = providers.map((provider, index) => nameOf(keys[index], provider));
  return (
    <details class="call">
      <summary>
        <span class={`badge ${stateOf(call)}`}>{stateNames[stateOf(call)]}</span>
        <span class="call-what">
          <b>{tool}</b> {!acts && <span class="muted small">read-only </span>}
          <code>{subjectOf(call).split("\n", 1)[0]}</code>
        </span>
        <span class="call-where small">{names.join(", ")}</span>
        <span class="call-who muted small">
          {software ?? client}
          {bridge !== null && (
            <>
              <br />
              on {bridge}
            </>
          )}
        </span>
        <span class="call-when muted small">
          {clockText(at)} · <Lasted from={at} to={durationMs === null ? null : at + durationMs} />
        </span>
      </summary>
      <div class="call-more stack">
        <p class="small muted">
          {tokenText(client)}session {call.session}
          {bridge !== null && ` on ${bridge}`} · trace {call.trace}
          {call.job !== null && ` · job ${call.job}`}
          {call.approvedBy !== null && ` · allowed by ${call.approvedBy}`}
          {key !== undefined && (
            <>
              {" · "}
              <a href={computerHref(key)}>open {names[0]}</a>
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
