import type { ActionParams, TopicData } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { Ago } from "../parts/time.js";
import { said } from "../said.js";
import { waiting, waitingCount } from "../waiting.js";
import { act } from "../wire/connection.js";

export function Waiting() {
  const problem = useSignal<string | undefined>(undefined);
  const { approvals = [], pairings = [], capabilities = [] } = waiting.value ?? {};
  const showProblem = (error: Error) => {
    problem.value = error.message;
  };
  const decide = (params: ActionParams<"decide">) => void act("decide", params).catch(showProblem);
  const pair = (code: string, accept: boolean) =>
    void act("pair", { code, accept }).catch(showProblem);
  const grant = (params: ActionParams<"grant">) => void act("grant", params).catch(showProblem);
  if (waitingCount.value === 0 && problem.value === undefined) return null;
  return (
    <section class="stack" aria-label="Waiting for you">
      <h2>Waiting for you</h2>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {approvals.map((approval) => (
        <Approval
          key={approval.id}
          approval={approval}
          onDecide={(decision) => decide({ id: approval.id, decision })}
        />
      ))}
      {pairings.map(({ code, showsCode, at, computerId, label, world, address, replaces }) => (
        <article key={code} class="card ask" aria-label={`Computer ${computerId} wants to link`}>
          <p>
            <b>{label ?? "A computer"}</b> (#{computerId}) {world !== null && `in ${world} `}wants
            to link
            {showsCode && (
              <>
                {" "}
                and shows <code class="code">{code}</code>
              </>
            )}
          </p>
          {!showsCode && (
            <p class="small">
              Its program is too old to show a code. Compare id, label and address: it is recognized
              by them from then on.
            </p>
          )}
          <p class="small muted">
            from {address} · <Ago at={at} />
          </p>
          {replaces && (
            <p class="problem small">
              A computer with this identity is already approved. Allow this only if you know why it
              asks again.
            </p>
          )}
          <p class="line">
            <button type="button" class="primary" onClick={() => pair(code, true)}>
              Approve
            </button>
            <button type="button" class="danger" onClick={() => pair(code, false)}>
              Reject
            </button>
          </p>
        </article>
      ))}
      {capabilities.map(({ id, at, clients, pages, capabilities: asked }) => {
        const names = asked.map(({ name }) => name);
        return (
          <article key={id} class="card ask" aria-label={`Abilities of web pages: ${names}`}>
            <p>
              <b>{clients.join(" and ") || "An AI client"}</b>{" "}
              {clients.length > 1 ? "want" : "wants"} to use abilities of {pages.join(", ")}
            </p>
            <ul class="names">
              {asked.map(({ name, risk }) => (
                <li key={name}>
                  <code>{name}</code> <span class={`badge risk ${risk}`}>{risk} risk</span>
                  {asked.length > 1 && (
                    <span class="line">
                      <button
                        type="button"
                        aria-label={`Grant ${name}`}
                        onClick={() => grant({ id, capabilities: [name], accept: true })}
                      >
                        Grant
                      </button>
                      <button
                        type="button"
                        class="danger"
                        aria-label={`Refuse ${name}`}
                        onClick={() => grant({ id, capabilities: [name], accept: false })}
                      >
                        Refuse
                      </button>
                    </span>
                  )}
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
                {names.length > 1 ? "Grant all" : "Grant"}
              </button>
              <button
                type="button"
                class="danger"
                onClick={() => grant({ id, capabilities: names, accept: false })}
              >
                {names.length > 1 ? "Refuse all" : "Refuse"}
              </button>
            </p>
          </article>
        );
      })}
    </section>
  );
}

interface ApprovalProps {
  approval: TopicData<"waiting">["approvals"][number];
  onDecide(decision: ActionParams<"decide">["decision"]): void;
}

function Approval({ approval, onDecide }: ApprovalProps) {
  const { id, at, client, question, subject, choices, trace } = approval;
  const title = `question-${id}`;
  return (
    <article class="card ask" aria-labelledby={title}>
      <p id={title} class="ask-what">
        {said(question)}
      </p>
      <p class="muted small">
        token {client} · <Ago at={at} /> · trace {trace}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long code is scrolled with the keyboard */}
      <pre class="output" tabIndex={0}>
        {subject}
      </pre>
      <p class="choices">
        <span class="muted">Allow</span>
        {choices.map(({ value, title: words }, index) => (
          <button
            key={value}
            type="button"
            class={index === 0 ? "primary" : ""}
            onClick={() => onDecide(value)}
          >
            {said(words)}
          </button>
        ))}
        <button type="button" class="danger" onClick={() => onDecide("no")}>
          No
        </button>
      </p>
    </article>
  );
}
