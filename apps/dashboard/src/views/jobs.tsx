import type { JobRow } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isComputer } from "../fleet.js";
import { Lasted } from "../parts/time.js";
import { said } from "../said.js";
import { act, watch } from "../wire/connection.js";
import { mayAct, useTopic } from "../wire/hooks.js";

const MAX_KEPT = 200_000;

export function JobsTab({ id, kind }: { id: string; kind: string }) {
  const { data, error } = useTopic("jobs", { key: id });
  const open = useSignal<string | undefined>(undefined);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (data === undefined) return <p class="muted">Waiting for the jobs …</p>;
  if (data.jobs.length === 0) {
    return (
      <div class="card empty">
        <p>Nothing has run here yet.</p>
        <p class="muted small">
          {isComputer(kind)
            ? "What AI clients run, and programs that you start in Screens, appear here with their output."
            : "Tools that it offers to AI clients appear here when they run, with their output."}
        </p>
      </div>
    );
  }
  const shown = open.value ?? data.jobs.find(({ ended }) => !ended)?.id;
  return (
    <ul class="joblist">
      {data.jobs.map((job) => (
        <li key={job.id} class="card job">
          <Job
            job={job}
            isOpen={job.id === shown}
            onToggle={() => {
              open.value = job.id === shown ? "" : job.id;
            }}
          />
        </li>
      ))}
    </ul>
  );
}

function Job({ job, isOpen, onToggle }: { job: JobRow; isOpen: boolean; onToggle(): void }) {
  const problem = useSignal<string | undefined>(undefined);
  const { id, summary, method, state, stopping, startedAt, createdAt, endedAt } = job;
  const { note, progress, trace } = job;
  const stop = () =>
    act("stop-job", { job: id }).catch((error: Error) => {
      problem.value = error.message;
    });
  return (
    <>
      <div class="job-head">
        <button type="button" class="plain" aria-expanded={isOpen} onClick={onToggle}>
          <code>{summary ?? method}</code>
        </button>
        <span class={`badge ${state}`}>{stopping && !job.ended ? "stopping" : state}</span>
        <span class="muted small">
          <Lasted from={startedAt ?? createdAt} to={endedAt ?? (job.ended ? createdAt : null)} />
        </span>
        {mayAct() && job.mayStop && (
          <button type="button" class="danger" onClick={stop}>
            Stop
          </button>
        )}
      </div>
      {progress !== null && <p class="small">{progress}</p>}
      {note !== null && <p class="small muted">{said(note)}</p>}
      {problem.value !== undefined && <p class="problem">{problem.value}</p>}
      {isOpen && (
        <p class="small muted">
          job {id}
          {trace !== null && ` · trace ${trace}`}
        </p>
      )}
      {isOpen && <Output id={id} />}
    </>
  );
}

export function Output({ id }: { id: string }) {
  const text = useSignal("");
  const result = useSignal<string | null>(null);
  const hasEnded = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    text.value = "";
    return watch(
      "output",
      { job: id },
      (data) => {
        const gap = data.skipped > 0 ? `[… ${data.skipped} characters …]\n` : "";
        text.value = (text.peek() + gap + data.text).slice(-MAX_KEPT);
        result.value = data.result;
        hasEnded.value = data.ended;
      },
      (error) => {
        problem.value = error;
      },
    );
  }, [id]);
  useEffect(() => {
    const { current } = box;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, [text.value]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard */}
      <pre class="output" ref={box} tabIndex={0}>
        {text.value === "" ? (hasEnded.value ? "(no output)" : "(no output so far)") : text.value}
      </pre>
      {result.value !== null && (
        <p class="small">
          Answer: <code>{result.value}</code>
        </p>
      )}
      {problem.value !== undefined && <p class="problem">{problem.value}</p>}
    </>
  );
}
