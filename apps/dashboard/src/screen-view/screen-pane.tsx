import type { ScreenView } from "@ccbridge/protocol/screen";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { said } from "../said.js";
import { TerminalInput } from "../screen/input.js";
import { Terminal } from "../screen/terminal.js";
import type { Host } from "./host.js";
import type { Place } from "./place.js";
import type { Viewing } from "./viewing.js";

interface PaneProps {
  viewing: Viewing;
  place: Place;
  host: Host;
}

export function ScreenPane({ viewing, place, host }: PaneProps) {
  const view = viewing.view.value;
  const problem = viewing.problem.value;
  return (
    <main class="pane" data-wide={place.isWide.value}>
      <header>
        <span class="dot" data-state={problem === undefined ? view?.state : "lost"} />
        <h1 title={titleOf(view)}>{titleOf(view)}</h1>
        <span class="state">{stateOf(view, problem)}</span>
        {place.canWiden.value && (
          <button type="button" class="quiet" onClick={() => void place.widen(host)}>
            {place.isWide.value ? "Back to the chat" : "Expand"}
          </button>
        )}
      </header>
      {view?.screen === undefined ? (
        <Waiting viewing={viewing} />
      ) : (
        <Driven key={view.job} viewing={viewing} view={view} mostHeight={place.mostHeight.value} />
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}{" "}
          <button type="button" class="quiet" onClick={() => viewing.retry()}>
            Try again
          </button>
        </p>
      )}
    </main>
  );
}

function titleOf(view: ScreenView | undefined): string {
  if (view === undefined) return "A screen of the game";
  const { program } = view;
  const name = said(view.name);
  return program === null ? name : `${program} · ${name}`;
}

function stateOf(view: ScreenView | undefined, problem: string | undefined): string {
  if (problem !== undefined) return "not live";
  if (view === undefined) return "";
  return { live: "live", ended: "ended", away: "not linked" }[view.state];
}

function Waiting({ viewing }: { viewing: Viewing }) {
  const modelText = viewing.modelText.value;
  if (viewing.view.value?.state === "away") return <p class="note">Its computer is not linked.</p>;
  if (viewing.problem.value !== undefined) return null;
  if (viewing.isLive || modelText === undefined)
    return <p class="note">Waiting for the screen …</p>;
  return (
    <>
      <pre class="model-text">{modelText}</pre>
      <p class="note">This client does not let views make calls, so this is not live.</p>
    </>
  );
}

interface DrivenProps {
  viewing: Viewing;
  view: ScreenView;
  mostHeight: string | undefined;
}

function Driven({ viewing, view, mostHeight }: DrivenProps) {
  const input = useMemo(() => new TerminalInput((steps) => viewing.type(steps)), [viewing]);
  const { screen, state } = view;
  const name = said(view.name);
  if (screen === undefined) return null;
  const isDriven = view.mayType && state === "live" && viewing.problem.value === undefined;
  const shape = `${screen.width * 6} / ${screen.height * 9}`;
  return (
    <>
      <div
        class="stage"
        data-state={state}
        style={
          mostHeight === undefined ? {} : { maxWidth: `calc((${mostHeight} - 8rem) * ${shape})` }
        }
      >
        <Terminal
          screen={screen}
          label={`Screen of ${name}`}
          fills
          onInput={isDriven ? (step) => input.push(step) : undefined}
        />
      </div>
      <Notes view={view} />
      {input.problem.value !== undefined && (
        <p class="problem" role="alert">
          {input.problem.value}
        </p>
      )}
      {isDriven && <TypeLine input={input} />}
    </>
  );
}

function Notes({ view: { state, end, mayType } }: { view: ScreenView }) {
  if (state === "ended") {
    const how = end === null || end === "done" ? "" : ` (${end})`;
    return <p class="note">The program has ended{how}. This is its last screen.</p>;
  }
  if (state === "away") {
    return <p class="note">The computer is not linked. This is what it showed last.</p>;
  }
  if (!mayType) return <p class="note">You can only look: this client may not type here.</p>;
  return <p class="note">Click the screen to type into it; Escape leaves it.</p>;
}

/** Not a form: hosts may forbid a view to submit one. */
function TypeLine({ input }: { input: TerminalInput }) {
  const line = useSignal("");
  const send = () => {
    input.push({ type: "text", text: `${line.value}\n` });
    line.value = "";
  };
  return (
    <div class="line">
      <input
        aria-label="A line to type, followed by Enter"
        placeholder="Type a line …"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={500}
        value={line.value}
        onInput={({ currentTarget }) => {
          line.value = currentTarget.value;
        }}
        onKeyDown={({ key, isComposing }) => {
          if (key === "Enter" && !isComposing) send();
        }}
      />
      <button type="button" class="primary" onClick={send}>
        Send
      </button>
      <button
        type="button"
        class="danger"
        title="Like holding Ctrl+T in the game"
        onClick={() => input.push({ type: "event", name: "terminate", args: [], count: 0 })}
      >
        Terminate
      </button>
    </div>
  );
}
