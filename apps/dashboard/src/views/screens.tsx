import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { TerminalInput } from "../screen/input.js";
import { Terminal } from "../screen/terminal.js";
import { toolStep } from "../screen/tool-step.js";
import { act } from "../wire/connection.js";
import { mayAct, useTopic } from "../wire/hooks.js";
import { RunProgram } from "./run-program.js";

export function ScreenTab({ id, name }: { id: string; name: string }) {
  const { data: jobs } = useTopic("jobs", { key: id });
  const chosen = useSignal<string | undefined>(undefined);
  const programs = (jobs?.jobs ?? []).filter(
    ({ method, ended, id: job }) => method === "run-program" && (!ended || job === chosen.value),
  );
  const job = programs.some(({ id: known }) => known === chosen.value) ? chosen.value : undefined;
  return (
    <div class="stack">
      <fieldset class="chips" aria-label="Screens">
        <button
          type="button"
          class="chip"
          aria-pressed={job === undefined}
          onClick={() => {
            chosen.value = undefined;
          }}
        >
          Shared prompt or newest
        </button>
        {programs.map((program) => (
          <button
            key={program.id}
            type="button"
            class="chip"
            aria-pressed={job === program.id}
            onClick={() => {
              chosen.value = program.id;
            }}
          >
            {program.summary ?? program.id}
          </button>
        ))}
      </fieldset>
      <Live key={`${id} ${job}`} id={id} name={name} job={job} />
      {mayAct() && (
        <RunProgram
          id={id}
          onStarted={(started) => {
            chosen.value = started;
          }}
        />
      )}
    </div>
  );
}

function Live({ id, name, job }: { id: string; name: string; job: string | undefined }) {
  const { data, error } = useTopic("screen", { key: id, ...(job === undefined ? {} : { job }) });
  // Without a job the newest program is shown: input must go to that one.
  const shownJob = job ?? data?.job ?? undefined;
  const input = useMemo(() => {
    const terminal = { key: id, ...(shownJob === undefined ? {} : { job: shownJob }) };
    return new TerminalInput((steps) => act("input", { ...terminal, steps: steps.map(toolStep) }));
  }, [id, shownJob]);
  const line = useSignal("");
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (data === undefined) return <p class="muted">Waiting for the screen …</p>;
  if (data.screen === null) {
    return (
      <div class="card empty">
        <p>No screen to show: {data.problem ?? "it shows nothing"}.</p>
        <p class="muted small">
          A program that is started below has one. So has the prompt of a player who shares it.
        </p>
      </div>
    );
  }
  const isDriven = mayAct() && !data.ended;
  return (
    <>
      <Terminal
        screen={data.screen}
        label={`Screen of ${name}`}
        onInput={isDriven ? (step) => input.push(step) : undefined}
      />
      {data.ended && <p class="muted">The program has ended. This is its last screen.</p>}
      {input.problem.value !== undefined && (
        <p class="problem" role="alert">
          {input.problem.value}
        </p>
      )}
      {isDriven && (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault();
            input.push({ type: "text", text: `${line.value}\n` });
            line.value = "";
          }}
        >
          <input
            aria-label="A line to type, followed by Enter"
            placeholder="Type a line …"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={line.value}
            onInput={({ currentTarget }) => {
              line.value = currentTarget.value;
            }}
          />
          <button type="submit">Send</button>
          <button
            type="button"
            class="danger"
            title="Like holding Ctrl+T in the game"
            onClick={() => input.push({ type: "event", name: "terminate", args: [], count: 0 })}
          >
            Terminate
          </button>
        </form>
      )}
    </>
  );
}
