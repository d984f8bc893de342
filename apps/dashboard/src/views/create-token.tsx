import type { ActionParams } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { act } from "../wire/connection.js";

type Rights = Required<ActionParams<"create-token">>;

const fresh: Rights = { name: "", mode: "ask", tools: "", computers: "", until: "" };

interface CreateTokenProps {
  /** Such as the client for which it is. */
  suggestedName?: string;
  onCreated(name: string, token: string): void;
}

export function CreateToken({ suggestedName = "", onCreated }: CreateTokenProps) {
  const rights = useSignal<Rights>({ ...fresh, name: suggestedName });
  const problem = useSignal<string | undefined>(undefined);
  const change = (changed: Partial<Rights>) => {
    rights.value = { ...rights.peek(), ...changed };
  };
  const field = (key: "name" | "tools" | "computers") => ({
    autocomplete: "off",
    spellcheck: false,
    value: rights.value[key],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      change({ [key]: currentTarget.value }),
  });
  const create = async () => {
    try {
      const { token } = await act("create-token", rights.peek());
      problem.value = undefined;
      onCreated(rights.peek().name, token);
      rights.value = fresh;
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form
      class="create-token"
      aria-label="Create a token"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <label>
        Name
        <input {...field("name")} placeholder="claude-code" required maxLength={64} />
      </label>
      <label>
        May
        <select
          value={rights.value.mode}
          onChange={({ currentTarget }) => change({ mode: currentTarget.value as Rights["mode"] })}
        >
          <option value="look">only look</option>
          <option value="ask">act after a person's yes</option>
          <option value="all">do everything</option>
        </select>
      </label>
      <label>
        Last day
        <input
          type="date"
          value={rights.value.until}
          onInput={({ currentTarget }) => change({ until: currentTarget.value })}
        />
      </label>
      <details>
        <summary>Fewer tools or computers</summary>
        <label>
          Tools
          <input {...field("tools")} placeholder="all; or: core,files,-exec-lua" />
        </label>
        <label>
          Computers
          <input {...field("computers")} placeholder="all; or: 12,label:farm-*" />
        </label>
      </details>
      <button type="submit" class="primary" disabled={rights.value.name.trim() === ""}>
        Create the token
      </button>
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
    </form>
  );
}
