import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act } from "../wire/connection.js";

export function RunProgram({ id, onStarted }: { id: string; onStarted(job: string): void }) {
  const command = useSignal("");
  const monitor = useSignal("");
  const monitors = useSignal<readonly string[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    act("peripherals", { key: id }).then(
      ({ peripherals }) => {
        monitors.value = peripherals
          .filter(({ types }) => types.includes("monitor"))
          .map(({ name }) => name);
      },
      () => {},
    );
  }, [id]);
  const run = async () => {
    const place = monitor.value === "" ? {} : { monitor: monitor.value };
    try {
      const { job } = await act("run-program", {
        key: id,
        command: command.value.trim(),
        ...place,
      });
      command.value = "";
      problem.value = undefined;
      onStarted(job);
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <input
        aria-label="A program to run in its own terminal"
        placeholder="Run a program, such as shell"
        autocomplete="off"
        spellcheck={false}
        value={command.value}
        onInput={({ currentTarget }) => {
          command.value = currentTarget.value;
        }}
      />
      {monitors.value.length > 0 && (
        <select
          aria-label="Where the game shows it"
          value={monitor.value}
          onChange={({ currentTarget }) => {
            monitor.value = currentTarget.value;
          }}
        >
          <option value="">only here</option>
          {monitors.value.map((name) => (
            <option key={name} value={name}>
              on {name}
            </option>
          ))}
        </select>
      )}
      <button type="submit" class="primary" disabled={command.value.trim() === ""}>
        Run
      </button>
      {problem.value !== undefined && <p class="problem">{problem.value}</p>}
    </form>
  );
}
