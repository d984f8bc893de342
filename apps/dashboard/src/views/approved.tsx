import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Copy } from "../parts/copy.js";
import { askPerson } from "../parts/question.js";
import { Ago } from "../parts/time.js";
import { byText, said } from "../said.js";
import { act } from "../wire/connection.js";
import { useTopic } from "../wire/hooks.js";

export function Approved() {
  const { data, error } = useTopic("approved", {});
  const problem = useSignal<string | undefined>(undefined);
  const revoke = async (key: string, name: string) => {
    const answer = await askPerson({
      text: `${name} loses its link at once, and waits until it is approved again.`,
      choices: { revoke: `Revoke ${name}` },
    });
    if (answer === undefined) return;
    await act("revoke-approval", { key }).catch((failure: Error) => {
      problem.value = failure.message;
    });
  };
  if (data === undefined) return error === undefined ? null : <p class="problem">{error}</p>;
  const { computers, total } = data;
  return (
    <section class="stack" aria-label="Approved computers">
      <h2>Approved computers</h2>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {total === 0 && (
        <div class="card empty">
          <p>None yet. A computer that needs your approval shows a code, and waits on Home.</p>
          <GameLine />
        </div>
      )}
      {computers.length > 0 && (
        <ul class="permissions card" aria-label="Computers that you approved">
          {computers.map(({ key, name: full, world, address, at, by }) => {
            const name = said(full);
            return (
              <li key={key}>
                <div>
                  <p>
                    <b>{name}</b>
                    {world !== null && ` in ${world}`}
                  </p>
                  <p class="muted small">
                    approved <Ago at={at} />
                    {byText(by)}
                    {address !== null && ` · only from ${address}`}
                  </p>
                </div>
                <button
                  type="button"
                  class="danger"
                  aria-label={`Revoke the approval of ${name}`}
                  onClick={() => void revoke(key, name)}
                >
                  Revoke
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {total > computers.length && (
        <p class="muted small">
          and {total - computers.length} older ones, which the command <code>pair</code> lists and
          revokes.
        </p>
      )}
    </section>
  );
}

function GameLine() {
  const line = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void act("connect", {}).then(
      ({ gameCommand }) => {
        line.value = gameCommand;
      },
      () => {},
    );
  }, []);
  if (line.value === undefined) return null;
  return (
    <>
      <p class="muted small">Type this on a computer or turtle in the game to link it:</p>
      <Copy text={line.value} label="the line for the game" />
    </>
  );
}
