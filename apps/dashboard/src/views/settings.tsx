import { isSupported, notifies, setNotifies } from "../notify.js";
import { mayDecide } from "../wire/hooks.js";
import { Permissions } from "./permissions.js";
import { Tokens } from "./tokens.js";

export function Settings() {
  return (
    <section class="stack settings">
      <h1>Settings</h1>
      <Notifications />
      {mayDecide() && <Permissions />}
      {mayDecide() && <Tokens />}
    </section>
  );
}

function Notifications() {
  return (
    <section class="card">
      <h2>Notifications</h2>
      <p class="muted small">
        This browser notifies you when something waits for you and this page is not in front. The
        title of the tab always shows how much waits.
      </p>
      {isSupported ? (
        <p class="setting-line">
          <button type="button" onClick={() => void setNotifies(!notifies.value)}>
            {notifies.value ? "Stop notifying me" : "Notify me"}
          </button>
          <span class="muted small">
            {notifies.value
              ? "On in this browser."
              : Notification.permission === "denied"
                ? "This browser blocks notifications of this page: allow them in its address bar."
                : "Off in this browser."}
          </span>
        </p>
      ) : (
        <p class="small">This browser cannot notify you here.</p>
      )}
    </section>
  );
}
