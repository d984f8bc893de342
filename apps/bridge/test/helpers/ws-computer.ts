import { once } from "node:events";
import { FakeComputer, type FakeComputerOptions, type Run } from "@ccbridge/registry/testing";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

export interface WsComputer {
  computer: FakeComputer;
  socket: WebSocket;
  /** The code with which the bridge closes the link. */
  closed: Promise<number>;
}

/** Links a fake computer over a real socket; it hangs up with the test. */
export async function linkComputer(
  url: string,
  options: Omit<FakeComputerOptions, "send">,
): Promise<WsComputer> {
  const socket = new WebSocket(url);
  onTestFinished(() => socket.terminate());
  const computer = new FakeComputer({ ...options, send: (text) => socket.send(text) });
  socket.on("message", (data) => computer.receive(data.toString()));
  const closed = once(socket, "close").then(([code]) => code as number);
  await once(socket, "open");
  computer.sayHello();
  await computer.welcomed;
  return { computer, socket, closed };
}

/** A program that prints and then runs until it is cancelled; the promise tells that it runs. */
export function endlessProgram() {
  let begin!: () => void;
  const running = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const program = (run: Run): Promise<never> => {
    run.write("digging\n");
    begin();
    return new Promise((_, reject) => {
      run.signal.addEventListener("abort", () => reject(new Error("Terminated")));
    });
  };
  const code = "while true do sleep(1) end";
  return { code, program, programs: { [code]: program }, running };
}
