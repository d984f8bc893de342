import { useSignal } from "@preact/signals";
import { connection, useToken } from "./wire/connection.js";

export function SignIn() {
  const typed = useSignal("");
  const { value } = connection;
  if (value.kind === "refused") {
    return (
      <main class="sign-in card">
        <h1>ccbridge</h1>
        <p>{value.reason}</p>
      </main>
    );
  }
  const wasWrong = value.kind === "token" && value.wasWrong;
  return (
    <main class="sign-in card">
      <h1>ccbridge</h1>
      <p>
        This bridge needs a token: one of those that its MCP clients use. It is kept until you close
        this tab. The command <code>token add --name NAME</code> makes one.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          useToken(typed.value.trim());
        }}
      >
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          value={typed.value}
          aria-invalid={wasWrong}
          aria-describedby={wasWrong ? "token-problem" : undefined}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
        {wasWrong && (
          <p id="token-problem" class="problem" role="alert">
            This bridge does not accept that token.
          </p>
        )}
        <button type="submit" disabled={typed.value.trim() === ""}>
          Open the dashboard
        </button>
      </form>
    </main>
  );
}
