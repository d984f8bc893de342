import type { ShownEvent } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isComputer } from "../fleet.js";
import { clockText } from "../parts/time.js";
import { watchEvents } from "../watched-events.js";
import { watch } from "../wire/connection.js";
import { mayAct } from "../wire/hooks.js";

const MAX_KEPT = 500;

export function EventsTab({ id, kind }: { id: string; kind: string }) {
  const events = useSignal<readonly ShownEvent[]>([]);
  const watches = useSignal<readonly string[]>([]);
  const others = useSignal<readonly string[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  const name = useSignal("");
  // Other providers send all their events.
  const mayWatch = mayAct() && isComputer(kind);
  useEffect(
    () =>
      watch(
        "events",
        { key: id },
        (data) => {
          const known = new Set(events.peek().map(({ seq }) => seq));
          const fresh = data.events.filter(({ seq }) => !known.has(seq));
          events.value = [...fresh.reverse(), ...events.peek()].slice(0, MAX_KEPT);
          watches.value = data.watches;
          others.value = data.others;
        },
        (error) => {
          problem.value = error;
        },
      ),
    [id],
  );
  const change = (event: string, on: boolean) =>
    watchEvents(id, event, on).then(
      () => {
        problem.value = undefined;
        watches.value = on
          ? [...new Set([...watches.peek(), event])]
          : watches.peek().filter((other) => other !== event);
      },
      (error: Error) => {
        problem.value = error.message;
      },
    );
  return (
    <div class="stack">
      {mayWatch && (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault();
            const names = name.value.split(/[\s,]+/).filter(Boolean);
            void Promise.all(names.map((each) => change(each, true)));
            name.value = "";
          }}
        >
          <input
            aria-label="Events to watch"
            placeholder="redstone, modem_message, key*"
            autocomplete="off"
            value={name.value}
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value;
            }}
          />
          <button type="submit" disabled={name.value.trim() === ""}>
            Watch
          </button>
        </form>
      )}
      <p class="watches small">
        <span class="muted">
          {watches.value.length + others.value.length > 0
            ? "Watched:"
            : isComputer(kind) && "No events are watched."}
        </span>
        {watches.value.map((watched) => (
          <span key={watched} class="badge watched">
            {watched}
            {mayWatch && (
              <button
                type="button"
                class="plain"
                aria-label={`Stop watching ${watched}`}
                onClick={() => change(watched, false)}
              >
                ×
              </button>
            )}
          </span>
        ))}
        {others.value
          .filter((name) => !watches.value.includes(name))
          .map((watched) => (
            <span key={watched} class="badge other" title="Watched by a client or another page">
              {watched}
            </span>
          ))}
      </p>
      {problem.value !== undefined && <p class="problem">{problem.value}</p>}
      {events.value.length === 0 ? (
        <div class="card empty">
          <p>No events yet.</p>
          <p class="muted small">
            Events are what happens on the computer: redstone changes, modem messages, chests being
            attached, players nearby. The computer sends only those that are watched.
          </p>
        </div>
      ) : (
        <div class="scroll card">
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Event</th>
                <th scope="col">Arguments</th>
              </tr>
            </thead>
            <tbody>
              {events.value.map(({ seq, time, name: event, args }) => (
                <tr key={seq}>
                  <td class="muted">{clockText(time)}</td>
                  <td>
                    <b>{event}</b>
                  </td>
                  <td>
                    <code>{args.map((value) => JSON.stringify(value)).join(", ")}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
