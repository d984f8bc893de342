import { useSignal } from "@preact/signals";
import { clockText, currentTime } from "../parts/time.js";
import { said } from "../said.js";
import { permissions } from "../waiting.js";
import { act } from "../wire/connection.js";

/** What was allowed for an hour; `isAlways`: also when that is nothing. */
export function Permissions({ isAlways = false }: { isAlways?: boolean }) {
  const problem = useSignal<string | undefined>(undefined);
  const held = (permissions.value?.permissions ?? []).filter(({ until }) => until > currentTime());
  const revoke = (id: string) =>
    void act("revoke-permission", { id }).catch((error: Error) => {
      problem.value = error.message;
    });
  if (held.length === 0 && problem.value === undefined && !isAlways) return null;
  return (
    <section class="stack" aria-label="Allowed for now">
      <h2>Allowed for now</h2>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {held.length === 0 && (
        <p class="muted">
          Nothing. When a client asks and you allow a tool or a computer for an hour, it is listed
          here until then, and you can take it back.
        </p>
      )}
      {held.length > 0 && (
        <ul class="permissions card">
          {held.map(({ id, client, tool, targets, until, grantedBy }) => {
            const where = targets.length === 0 ? "" : ` on ${targets.map(said).join(" and ")}`;
            const what = `${tool ?? "every change"}${where}`;
            return (
              <li key={id}>
                <div>
                  <p>
                    <b>{tool ?? "Every change"}</b>
                    {where}
                  </p>
                  <p class="muted small">
                    token {client} · until {clockText(until)} · allowed by {grantedBy}
                  </p>
                </div>
                <button
                  type="button"
                  class="danger"
                  aria-label={`Revoke ${what} for ${client}`}
                  onClick={() => revoke(id)}
                >
                  Revoke
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
