import { useSignal } from "@preact/signals";
import { Ago } from "../parts/time.js";
import { ask } from "../wire/connection.js";
import { mayDecide, useTopic } from "../wire/hooks.js";

/** The MCP sessions. */
export function Clients() {
  const { data, error } = useTopic("clients", {});
  const problem = useSignal<string | undefined>(undefined);
  const end = (id: string) =>
    void ask("end-session", { id }).catch((failure: Error) => {
      problem.value = failure.message;
    });
  return (
    <section class="stack">
      <h1>Clients</h1>
      {(error ?? problem.value) !== undefined && <p class="problem">{error ?? problem.value}</p>}
      {data?.sessions.length === 0 && (
        <p class="muted">
          No client has a session now. <a href="#/connect">Connect</a> says how to get one.
        </p>
      )}
      {data !== undefined && data.sessions.length > 0 && (
        <div class="scroll card">
          <table>
            <thead>
              <tr>
                <th scope="col">Client</th>
                <th scope="col">Token</th>
                <th scope="col">Protocol</th>
                <th scope="col">Last call</th>
                <th scope="col">Open calls</th>
                {mayDecide() && (
                  <th scope="col">
                    <span class="visually-hidden">End it</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {data.sessions.map((session) => (
                <tr key={session.id}>
                  <td>
                    <b>{session.software ?? "not said"}</b>
                    <br />
                    <span class="muted small">session {session.id}</span>
                  </td>
                  <td>{session.client}</td>
                  <td>{session.protocol ?? "?"}</td>
                  <td>
                    {session.lastTool ?? "none"}
                    <br />
                    <span class="muted small">
                      used <Ago at={session.usedAt} />
                    </span>
                  </td>
                  <td>{session.openCalls}</td>
                  {mayDecide() && (
                    <td>
                      <button
                        type="button"
                        class="danger"
                        disabled={!session.mayEnd}
                        aria-label={`End the session of ${session.software ?? session.id}`}
                        onClick={() => end(session.id)}
                      >
                        End
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
