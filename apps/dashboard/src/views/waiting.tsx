import type { ActionParams } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { Ago } from "../parts/time.js";
import { waiting } from "../waiting.js";
import { act } from "../wire/connection.js";

/** Calls that wait for a yes, computers that show a code, and what was asked of web pages. */
export function Waiting() {
  const problem = useSignal<string | undefined>(undefined);
  const { approvals = [], pairings = [], capabilities = [] } = waiting.value ?? {};
  const tell = (error: Error) => {
    problem.value = error.message;
  };
  const decide = (params: ActionParams<"decide">) => void act("decide", params).catch(tell);
  const pair = (code: string, accept: boolean) => void act("pair", { code, accept }).catch(tell);
  const grant = (params: ActionParams<"grant">) => void act("grant", params).catch(tell);
  const count = approvals.length + pairings.length + capabilities.length;
  if (count === 0 && problem.value === undefined) return null;
  return (
    <section class="stack" aria-label="Waiting for you">
      <h2>Waiting for you</h2>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {approvals.map(({ id, at, client, tool, provider, question }) => (
        <article key={id} class="card ask" aria-label={`${tool} for ${client}`}>
          <p>
            <b>{tool}</b>
            {provider !== null && ` on ${provider}`}{" "}
            <span class="muted small">
              token {client} · <Ago at={at} />
            </span>
          </p>
          <pre class="output">{question}</pre>
          <p class="line">
            <button type="button" class="primary" onClick={() => decide({ id, decision: "once" })}>
              Allow once
            </button>
            <button type="button" onClick={() => decide({ id, decision: "hour" })}>
              Allow for an hour
            </button>
            <button type="button" class="danger" onClick={() => decide({ id, decision: "no" })}>
              Refuse
            </button>
          </p>
        </article>
      ))}
      {pairings.map(({ code, at, computerId, label, world, address, replaces }) => (
        <article key={code} class="card ask" aria-label={`Computer ${computerId} wants to pair`}>
          <p>
            Computer <b>#{computerId}</b> {label !== null && `(${label}) `}
            {world !== null && `in ${world} `}wants to pair and shows{" "}
            <code class="code">{code}</code>
          </p>
          <p class="small muted">
            from {address} · <Ago at={at} />
          </p>
          {replaces && (
            <p class="problem small">
              A computer with this identity is already paired. Allow this only if you know why it
              asks again.
            </p>
          )}
          <p class="line">
            <button type="button" class="primary" onClick={() => pair(code, true)}>
              Pair it
            </button>
            <button type="button" class="danger" onClick={() => pair(code, false)}>
              Reject
            </button>
          </p>
        </article>
      ))}
      {capabilities.map(({ id, at, pages, capabilities: asked }) => {
        const names = asked.map(({ name }) => name);
        return (
          <article key={id} class="card ask" aria-label={`Abilities of web pages: ${names}`}>
            <p>
              An AI client wants to use abilities of{" "}
              {pages.length === 0 ? "web pages that have left" : pages.join(", ")}
            </p>
            <ul class="names">
              {asked.map(({ name, risk }) => (
                <li key={name}>
                  <code>{name}</code> <span class={`badge risk ${risk}`}>{risk} risk</span>
                </li>
              ))}
            </ul>
            <p class="small muted">
              asked <Ago at={at} /> · a grant lasts as long as the pages are used
            </p>
            <p class="line">
              <button
                type="button"
                class="primary"
                onClick={() => grant({ id, capabilities: names, accept: true })}
              >
                Grant
              </button>
              <button
                type="button"
                class="danger"
                onClick={() => grant({ id, capabilities: names, accept: false })}
              >
                Refuse
              </button>
            </p>
          </article>
        );
      })}
    </section>
  );
}
