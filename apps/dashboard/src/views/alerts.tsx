import { useSignal } from "@preact/signals";
import { alerts, dropToast, toasts } from "../alerts.js";
import { said } from "../names.js";
import { Ago, clockText } from "../parts/time.js";
import { act } from "../wire/connection.js";

const MAX_SHOWN = 20;

export function Alerts() {
  const problem = useSignal<string | undefined>(undefined);
  const { alerts: open = [], fired = [] } = alerts.value ?? {};
  const remove = (id: string) =>
    void act("remove-alert", { id }).catch((error: Error) => {
      problem.value = error.message;
    });
  if (open.length === 0 && fired.length === 0) return null;
  return (
    <section class="stack" aria-label="Alerts">
      <h2>Alerts</h2>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {open.length > 0 && (
        <ul class="permissions card">
          {open.map(({ id, client, what, until, times, fired: count, trouble }) => (
            <li key={id}>
              <div>
                <p>
                  <b>{said(what)}</b>
                </p>
                <p class="muted small">
                  token {client} · until {clockText(until)} · {count} of {times} delivered
                </p>
                {trouble !== null && <p class="problem small">{trouble}</p>}
              </div>
              <button
                type="button"
                class="danger"
                aria-label={`Remove the alert ${what}`}
                onClick={() => remove(id)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {fired.length > 0 && (
        <ul class="permissions card" aria-label="Delivered alerts">
          {fired
            .slice(-MAX_SHOWN)
            .reverse()
            .map(({ id, client, at, text, problems }) => (
              <li key={id}>
                <div>
                  <p>{said(text)}</p>
                  <p class="muted small">
                    <Ago at={at} /> · token {client}
                  </p>
                  {problems.length > 0 && (
                    <p class="problem small">Not delivered: {problems.join("; ")}</p>
                  )}
                </div>
              </li>
            ))}
        </ul>
      )}
    </section>
  );
}

/** What has just been delivered, over whatever the page shows. */
export function Toasts() {
  const shown = toasts.value;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, client }) => (
        <div class="toast card" key={id}>
          <a href="#/home">
            <b>{said(text)}</b>
            <span class="muted small"> asked by {client}</span>
          </a>
          <button type="button" class="quiet" aria-label="Close" onClick={() => dropToast(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
