import { useTopic } from "../wire/hooks.js";
import { Ago } from "./time.js";

/** The bridges of a cluster: what each has, how far NATS is, and what is wrong. Nothing for a bridge alone. */
export function Bridges() {
  const { data, error } = useTopic("cluster", {});
  if (error !== undefined) return <p class="problem">{error}</p>;
  const cluster = data?.cluster;
  if (cluster === undefined || cluster === null) return null;
  const { state, trouble, bridges } = cluster;
  return (
    <section class="stack" aria-label="Bridges">
      <h2>Bridges</h2>
      {state !== "joined" && (
        <p class="problem" role="alert">
          {state === "connecting" && trouble === null
            ? "This bridge is connecting to the others …"
            : `This bridge works alone, with what is linked to it: ${trouble ?? "NATS is not reachable"}.`}
        </p>
      )}
      {bridges.length > 0 && (
        <ul class="permissions card" aria-label="Bridges of the cluster">
          {bridges.map((bridge) => (
            <li key={`${bridge.name} ${bridge.startedAt}`}>
              <div>
                <p>
                  <b>{bridge.name}</b>
                  {bridge.isThis && " (this one)"}
                  {bridge.draining && " stops soon and takes no new links"}
                </p>
                <p class="muted small">
                  {bridge.providers} linked
                  {bridge.natsMs !== null && ` · NATS answers in ${bridge.natsMs} ms`}
                  {` · version ${bridge.version} · started `}
                  <Ago at={bridge.startedAt} />
                </p>
                {bridge.notes.map((note) => (
                  <p key={note} class="problem small">
                    {note}
                  </p>
                ))}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
