import { useSignal } from "@preact/signals";
import { Ago } from "../parts/time.js";
import { act } from "../wire/connection.js";
import { mayDecide, useTopic } from "../wire/hooks.js";

export function Clients() {
  const { data, error } = useTopic("clients", {});
  const problem = useSignal<string | undefined>(undefined);
  const end = (id: string) =>
    void act("end-session", { id }).catch((failure: Error) => {
      problem.value = failure.message;
    });
  return (
    <section class="stack">
      <h1>Clients</h1>
      {(error ?? problem.value) !== undefined && <p class="problem">{error ?? problem.value}</p>}
      {data?.unseen && (
        <p class="problem" role="alert">
          {data.unseen}
        </p>
      )}
      {data?.sessions.length === 0 && (
        <div class="card empty">
          <p>No client has a session right now.</p>
          <p class="muted small">
            <a href="#/connect">Connect</a> has the configuration for each client.
          </p>
        </div>
      )}
      {data !== undefined && data.sessions.length > 0 && (
        <ul class="sessions card">
          {data.sessions.map((session) => (
            <li key={session.id}>
              <div class="session-who">
                <h2>{session.software ?? "Unnamed client"}</h2>
                <p class="muted small">
                  session {session.id}
                  {session.bridge !== null && ` on ${session.bridge}`}
                </p>
              </div>
              <dl class="facts">
                <div>
                  <dt>Token</dt>
                  <dd>{session.client === "anyone" ? "none" : session.client}</dd>
                </div>
                <div>
                  <dt>MCP</dt>
                  <dd>{session.protocol ?? "not known"}</dd>
                </div>
                <div>
                  <dt>Last call</dt>
                  <dd>
                    {session.lastTool ?? "none"}{" "}
                    <span class="muted small">
                      <Ago at={session.usedAt} />
                    </span>
                  </dd>
                </div>
                <div>
                  <dt>Open calls</dt>
                  <dd>{session.openCalls}</dd>
                </div>
              </dl>
              {mayDecide() && session.mayEnd && (
                <button
                  type="button"
                  class="danger"
                  aria-label={`End the session of ${session.software ?? session.id}`}
                  onClick={() => end(session.id)}
                >
                  End
                </button>
              )}
              {mayDecide() && !session.mayEnd && (
                <span class="muted small">has no session to end</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
