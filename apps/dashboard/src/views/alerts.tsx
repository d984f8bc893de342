import { useSignal } from "@preact/signals";
import { alerts, dropToast, toasts } from "../alerts.js";
import { Copy } from "../parts/copy.js";
import { Ago, clockText } from "../parts/time.js";
import { said, tokenText } from "../said.js";
import { act } from "../wire/connection.js";

const MAX_SHOWN = 20;

export function Alerts() {
  const problem = useSignal<string | undefined>(undefined);
  const { alerts: open = [], fired = [] } = alerts.value ?? {};
  const remove = (id: string) =>
    void act("remove-alert", { id }).catch((error: Error) => {
      problem.value = error.message;
    });
  return (
    <section class="stack" aria-label="Alerts">
      <h2>Alerts</h2>
      <p class="muted small">
        What your clients were asked to watch for while you are away. An alert ends by itself at its
        time, or when you remove it.
      </p>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {open.length === 0 && (
        <div class="card empty">
          <p>No alert waits. Ask your client for one, for example:</p>
          <Copy text="Tell me when a player joins the server." label="a request for an alert" />
        </div>
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
                  {tokenText(client)}until {clockText(until)} · {count} of {times} delivered
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
      {fired.length > 0 && <h3>Delivered</h3>}
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
                    {tokenText(client)}
                    <Ago at={at} />
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
            <span class="muted small"> {tokenText(client)}an alert</span>
          </a>
          <button type="button" class="quiet" aria-label="Close" onClick={() => dropToast(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
