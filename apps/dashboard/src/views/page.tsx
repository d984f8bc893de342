import type { CallRow, TopicData } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockText, Lasted } from "../parts/time.js";
import { watch } from "../wire/connection.js";
import { useTopic } from "../wire/hooks.js";

const MAX_CALLS = 50;

/** A web page: what it offers, what of it is left out, and what clients did with it. */
export function PageTab({ id }: { id: string }) {
  const { data, error } = useTopic("offers", { key: id });
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (data === undefined) return <p class="muted">Waiting for the tools …</p>;
  return (
    <>
      <Tools tools={data.tools} />
      <LeftOut leftOut={data.leftOut} />
      <Calls id={id} since={data.since} />
    </>
  );
}

function Tools({ tools }: Pick<TopicData<"offers">, "tools">) {
  return (
    <section class="card stack" aria-labelledby="page-tools">
      <h2 id="page-tools">Tools ({tools.length})</h2>
      {tools.length === 0 && <p class="muted">It offers none at the moment.</p>}
      <ul class="joblist">
        {tools.map(({ name, title, description, listed, missing }) => (
          <li key={name}>
            <p>
              <code>{name}</code>
              {title !== null && <b> {title}</b>}
              {!listed && (
                <>
                  {" "}
                  <span class="badge small">not in the list</span>
                </>
              )}
              {missing.length > 0 && (
                <>
                  {" "}
                  <span class="badge waiting small">needs {missing.join(", ")}</span>
                </>
              )}
            </p>
            <p class="small muted">{description}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LeftOut({ leftOut }: Pick<TopicData<"offers">, "leftOut">) {
  if (leftOut.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="page-left-out">
      <h2 id="page-left-out">Left out ({leftOut.length})</h2>
      <ul class="joblist">
        {leftOut.map(({ tool, problem }) => (
          <li key={tool}>
            <code>{tool}</code> <span class="small">{problem}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Calls({ id, since }: { id: string; since: number }) {
  const calls = useSignal<ReadonlyMap<number, CallRow>>(new Map());
  useEffect(
    () =>
      watch("activity", {}, (data) => {
        const now = data.full ? new Map<number, CallRow>() : new Map(calls.peek());
        for (const call of data.calls) if (call.keys.includes(id)) now.set(call.id, call);
        calls.value = now;
      }),
    [id],
  );
  const shown = [...calls.value.values()]
    .filter(({ at, software }) => at >= since && software !== "dashboard")
    .sort((a, b) => b.id - a.id)
    .slice(0, MAX_CALLS);
  return (
    <section class="card stack" aria-labelledby="page-calls">
      <h2 id="page-calls">Calls</h2>
      {shown.length === 0 && <p class="muted">No client has called it yet.</p>}
      <ul class="joblist">
        {shown.map((call) => (
          <li key={call.id}>
            <Call call={call} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Call({ call }: { call: CallRow }) {
  const { at, tool, request, outcome, waits, durationMs, software, client, answer } = call;
  const state = outcome ?? (waits ? "waiting" : "running");
  return (
    <details>
      <summary>
        <span class={`badge ${state}`}>{state}</span> <b>{tool}</b>{" "}
        <span class="muted small">
          {software ?? client} · {clockText(at)} ·{" "}
          <Lasted from={at} to={durationMs === null ? null : at + durationMs} />
        </span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled with the keyboard */}
      <pre class="output" tabIndex={0}>
        {JSON.stringify(request, null, 2)}
        {answer !== null && `\n\n${answer}`}
      </pre>
    </details>
  );
}
