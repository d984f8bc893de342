import { computerName, isComputer, type JobFailure } from "@ccbridge/registry";
import type { JobWords } from "../../../core/kind.js";
import { UNLOCK } from "../lock.js";

export const luaFailure: JobFailure = {
  code: "lua-error",
  hint: "The code stopped there; what it did before that is done. Correct it and call exec-lua again.",
};

export const jobWords: JobWords = {
  onFailure: luaFailure,
  onToolFailure: {
    code: "tool-error",
    hint: "The tool stopped there; what it did before that is done. It is a program on that computer: correct the arguments, or read and fix the program.",
  },
  explainError({ provider, method }, error, { code, hint }) {
    if (isComputer(provider) && provider.allow !== null && !provider.methods.includes(method)) {
      return { code: "locked", hint: `Nothing ran. ${UNLOCK}` };
    }
    if (code !== luaFailure.code) return { code, hint };
    if (error.startsWith("syntax error")) {
      return { code: "syntax-error", hint: "Correct the code and call exec-lua again." };
    }
    const isTurtle = !isComputer(provider) || provider.computerKind === "turtle";
    if (isTurtle || !/'turtle' \(a nil value\)/.test(error)) return { code, hint };
    return {
      code,
      hint: `This computer is not a turtle, and only turtles have \`turtle\`: list-computers shows the turtles. ${hint}`,
    };
  },
  explainUnknownMethod: ({ provider, method }, { linkCommand }) => ({
    message: `The agent on computer ${computerName(provider)} does not support ${method || "exec-lua"}.`,
    hint: `It is too old. Ask the player to update mcp-computer by typing this on it: ${linkCommand}`,
  }),
  cannotStop:
    "The code may still be running in the game: this computer's agent cannot cancel it. Check what it did before you run it again; the player can stop it with Ctrl+T or a reboot, and a newer mcp-computer can cancel jobs.",
  outputHasReturns: (method) => method === "turtle-run" || method === "move-items",
  showOutput(method, output) {
    if (method !== "run-program") return output;
    // A program's output ends with its screen, which is mostly blank.
    const dense = (text: string) => text.replace(/\n{3,}/g, "\n\n");
    return { ...output, head: dense(output.head), tail: dense(output.tail) };
  },
  nextStep({ id, method, state }) {
    if (method !== "run-program" || state !== "running") return undefined;
    // A program mostly waits for input.
    const see = `read-screen ${JSON.stringify({ jobId: id })}`;
    return `If it waits for input, use send-input with this jobId; see its screen again with ${see}; wait for its end with get-job, or stop it with cancel-job.`;
  },
  cutValue(rest) {
    const part =
      rest === undefined
        ? "return part of it, such as one key"
        : `return value:sub(${rest}) for the rest`;
    return `${part}, or write it to a file and use read-file`;
  },
};
