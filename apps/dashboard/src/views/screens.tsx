import { monitorOf, monitorScreen } from "@ccbridge/protocol/screen";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { TerminalInput } from "../screen/input.js";
import { Terminal } from "../screen/terminal.js";
import { toolStep } from "../screen/tool-step.js";
import { act } from "../wire/connection.js";
import { mayAct, useTopic } from "../wire/hooks.js";
import { Output } from "./jobs.js";
import { RunProgram } from "./run-program.js";

export function ScreenTab({ id, name }: { id: string; name: string }) {
  const { data: jobs } = useTopic("jobs", { key: id });
  const chosen = useSignal<string | undefined>(undefined);
  const programs = (jobs?.jobs ?? []).filter(
    ({ isProgram, ended, id: job }) => isProgram && (!ended || job === chosen.value),
  );
  const monitors = useMonitors(id);
  const known = [...programs.map((program) => program.id), ...monitors.map(monitorScreen)];
  const job = known.find((each) => each === chosen.value);
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
          Shared screen or newest
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
        {monitors.map((monitor) => (
          <button
            key={monitor}
            type="button"
            class="chip"
            aria-pressed={job === monitorScreen(monitor)}
            onClick={() => {
              chosen.value = monitorScreen(monitor);
            }}
          >
            Monitor {monitor}
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

function NoScreen({ problem, isMonitor }: { problem: string | null; isMonitor: boolean }) {
  return (
    <div class="card empty">
      <p>Nothing to see here yet.</p>
      {isMonitor ? (
        <p class="muted small">
          The game cannot read a monitor back. What this computer draws on it from now on appears
          here.
        </p>
      ) : (
        <p class="muted small">
          The game shows other machines only programs that were started from here or by an AI, and
          the prompt of a player who types <code>mcp-computer share</code>.
          {mayAct() && " Start a program below."}
        </p>
      )}
      {problem !== null && (
        <details class="small muted">
          <summary>What the computer answers</summary>
          <p>{problem}</p>
        </details>
      )}
    </div>
  );
}

/** Such as a program that could not be started: its output says why. */
function NeverShown({ job }: { job: string }) {
  return (
    <div class="card empty">
      <p>This program ended before it showed anything.</p>
      <Output id={job} />
    </div>
  );
}

function useMonitors(id: string): string[] {
  const monitors = useSignal<string[]>([]);
  useEffect(() => {
    let isOver = false;
    act("peripherals", { key: id }).then(
      ({ peripherals }) => {
        const found = peripherals.filter(({ types }) => types.includes("monitor"));
        if (!isOver) monitors.value = found.map(({ name }) => name);
      },
      // Its player may not allow that; the peripherals have a view that says so.
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [id]);
  return monitors.value;
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
  const isMonitor = job !== undefined && monitorOf(job) !== undefined;
  if (data.screen === null) {
    return job === undefined || isMonitor ? (
      <NoScreen problem={data.problem} isMonitor={isMonitor} />
    ) : (
      <NeverShown job={job} />
    );
  }
  const isDriven = mayAct() && !data.ended && !isMonitor;
  return (
    <>
      <Terminal
        screen={data.screen}
        label={`Screen of ${name}`}
        onInput={isDriven ? (step) => input.push(step) : undefined}
      />
      {isMonitor && (
        <p class="muted small">
          What this computer has drawn on it since its mcp-computer started. What was there before,
          and what other computers draw, is not seen.
        </p>
      )}
      {data.ended && !isMonitor && (
        <p class="muted">The program has ended. This is its last screen.</p>
      )}
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
