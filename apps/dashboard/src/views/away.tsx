import type { FleetRow } from "@ccbridge/protocol/dashboard";
import { useCalls } from "../calls.js";
import { nameOf } from "../names.js";
import { Ago, clockText } from "../parts/time.js";
import { tasksOf } from "../tasks.js";
import { JobsTab } from "./jobs.js";
import { UnsavedOfAway } from "./unsaved.js";

const MAX_TASKS = 8;

/** What the bridge still knows about a provider that is not linked. */
export function Away({ row }: { row: FleetRow }) {
  const { key, lastSeenAt, place, program } = row;
  const calls = useCalls();
  const own = calls.shown.value.filter((call) => call.keys.includes(key));
  const tasks = tasksOf(own, nameOf).slice(0, MAX_TASKS);
  const isTurtle = row.kind === "turtle";
  return (
    <div class="stack">
      <div class="card stack">
        <p>
          Not linked at the moment
          {lastSeenAt !== null && (
            <>
              : last seen <Ago at={lastSeenAt} /> ({clockText(lastSeenAt)})
            </>
          )}
          . This page fills in when it is back.
        </p>
        {isTurtle && (
          <p>
            {place === null
              ? "Where it was is not known."
              : `It was last at ${place.x}, ${place.y}, ${place.z}.`}
          </p>
        )}
        <p class="muted small">
          A computer is away when its chunk is not loaded, when the game or server is stopped, or
          when its program ended: <code>mcp-computer</code> on its screen starts it again.
          {program !== null && ` Its program was version ${program}.`}
        </p>
      </div>
      <UnsavedOfAway id={key} />
      <h2>Its jobs</h2>
      <JobsTab id={key} kind={row.kind} />
      <h2>What was done here</h2>
      {tasks.length === 0 ? (
        <p class="muted">Nothing, as far as the bridge remembers.</p>
      ) : (
        <ul class="did card">
          {tasks.map((task) => (
            <li key={task.id}>
              <a href={`#/activity/${task.id}`}>
                <b>{task.who}</b> {task.sentence}
              </a>
              <span class="muted small">
                <Ago at={task.to} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
