import { isSupported, notifies, setNotifies } from "../notify.js";
import { mayDecide, useTopic } from "../wire/hooks.js";
import { Alerts } from "./alerts.js";
import { Approved } from "./approved.js";
import { PairingMode, ReadOnly, Retention, ToolGroups } from "./live-settings.js";
import { Permissions } from "./permissions.js";
import { Tokens } from "./tokens.js";

/** What a person can change while the bridge runs: first in this browser, then, for owners, for everyone. */
export function Settings() {
  return (
    <section class="stack settings">
      <h1>Settings</h1>
      <Notifications />
      <Alerts />
      {mayDecide() ? (
        <OwnersSettings />
      ) : (
        <p class="muted">The other settings are for owners: tokens without limits.</p>
      )}
    </section>
  );
}

function OwnersSettings() {
  const { data, error } = useTopic("settings", {});
  return (
    <>
      {error !== undefined && <p class="problem">{error}</p>}
      {data !== undefined && (
        <>
          <ReadOnly data={data} />
          <ToolGroups data={data} />
        </>
      )}
      <Permissions isAlways />
      <Tokens />
      {data !== undefined && <PairingMode data={data} />}
      <Approved />
      {data !== undefined && (
        <>
          <Retention data={data} />
          <p class="muted small">
            {data.keptIn === null ? (
              "What you change here lasts until this bridge stops."
            ) : (
              <>
                What you change here is kept in <code>{data.keptIn}</code> and holds after a
                restart, unless a flag or environment variable states it otherwise. Every change is
                in the audit.
              </>
            )}
          </p>
        </>
      )}
    </>
  );
}

function Notifications() {
  return (
    <section class="card">
      <h2>Notifications</h2>
      <p class="muted small">
        This browser notifies you when something waits for you, or an alert fires, and this page is
        not in front. The title of the tab always shows how much waits.
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
