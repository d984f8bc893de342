import type { ShownEvent } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockText } from "../parts/time.js";
import { act, watch } from "../wire/connection.js";
import { mayAct, useTopic } from "../wire/hooks.js";

const MAX_KEPT = 500;

/** A Minecraft server: who plays, what is said, and its state. */
export function ServerTab({ id, name }: { id: string; name: string }) {
  const { data, error } = useTopic("server", { key: id });
  return (
    <div class="stack">
      {error !== undefined && <p class="problem">{error}</p>}
      {data?.problem != null && <p class="problem">{data.problem}</p>}
      {data !== undefined && data.problem === null && (
        <dl class="facts card">
          <Fact title="Players">
            {data.players.length === 0 ? "none" : data.players.join(", ")}
            {data.maxPlayers !== null && <span class="muted"> of {data.maxPlayers}</span>}
          </Fact>
          <Fact title="Minecraft">{data.version ?? "not known"}</Fact>
          <Fact title="Speed">
            {data.tps === null
              ? "not known"
              : `${Number(data.tps.toFixed(1))} of 20 ticks a second`}
          </Fact>
          <Fact title="Sky">
            {[timeText(data.timeOfDay), data.weather].filter(Boolean).join(", ") || "not known"}
          </Fact>
        </dl>
      )}
      <Chat id={id} name={name} />
    </div>
  );
}

function Fact({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Ticks of the day as a clock: 0 is 6:00. */
function timeText(ticks: number | null): string | undefined {
  if (ticks === null) return undefined;
  const minutes = Math.floor((((ticks + 6_000) % 24_000) / 1_000) * 60);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")} in the game`;
}

function Chat({ id, name }: { id: string; name: string }) {
  const events = useSignal<readonly ShownEvent[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  const text = useSignal("");
  useEffect(
    () =>
      watch(
        "events",
        { key: id },
        (data) => {
          const known = new Set(events.peek().map(({ seq }) => seq));
          const fresh = data.events.filter(({ seq }) => !known.has(seq));
          events.value = [...events.peek(), ...fresh].slice(-MAX_KEPT);
        },
        (error) => {
          problem.value = error;
        },
      ),
    [id],
  );
  const lines = events.value.flatMap((event) => chatLine(event) ?? []);
  return (
    <section class="stack" aria-label="Chat">
      <h2>Chat</h2>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {lines.length === 0 ? (
        <div class="card empty">
          <p>Nothing was said yet.</p>
          <p class="muted small">What players write, and who joins and leaves, appears here.</p>
        </div>
      ) : (
        <ol class="chat card">
          {[...lines].reverse().map(({ seq, time, who, what }) => (
            <li key={seq}>
              <span class="muted small">{clockText(time)}</span>
              <span class={who === undefined ? "muted" : ""}>
                {who !== undefined && <b>{who} </b>}
                {what}
              </span>
            </li>
          ))}
        </ol>
      )}
      {mayAct() && (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault();
            const message = text.value.trim();
            act("send-message", { key: id, message }).then(
              () => {
                text.value = "";
                problem.value = undefined;
              },
              (error: Error) => {
                problem.value = error.message;
              },
            );
          }}
        >
          <input
            aria-label={`A message to the players of ${name}`}
            placeholder="Write to the players …"
            autocomplete="off"
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
            }}
          />
          <button type="submit" disabled={text.value.trim() === ""}>
            Send
          </button>
        </form>
      )}
    </section>
  );
}

interface ChatLine {
  readonly seq: number;
  readonly time: number;
  /** Undefined for what no player said. */
  readonly who: string | undefined;
  readonly what: string;
}

function chatLine({ seq, time, name, args }: ShownEvent): ChatLine | undefined {
  const facts = Object(args[0]) as { player?: unknown; message?: unknown; cause?: unknown };
  const player = String(facts.player ?? "Someone");
  const line = (who: string | undefined, what: string) => ({ seq, time, who, what });
  switch (name) {
    case "player_chat":
      return line(player, String(facts.message ?? ""));
    case "player_join":
      return line(undefined, `${player} joined`);
    case "player_quit":
      return line(undefined, `${player} left`);
    case "player_death":
      return line(undefined, String(facts.cause ?? `${player} died`));
    default:
      return undefined;
  }
}
