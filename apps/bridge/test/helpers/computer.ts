import { once } from "node:events";
import { FakeComputer, type FakeComputerOptions, type Run } from "@ccbridge/registry/testing";
import { onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";

export interface LinkedComputer {
  fake: FakeComputer;
  socket: WebSocket;
  closed: Promise<{ code: number; reason: string }>;
}

export async function linkComputer(
  url: string,
  options: Omit<FakeComputerOptions, "send">,
  socketOptions: ClientOptions = {},
): Promise<LinkedComputer> {
  const { socket, closed } = await openSocket(url, socketOptions);
  const fake = new FakeComputer({ ...options, send: (text) => socket.send(text) });
  socket.on("message", (data) => fake.receive(data.toString()));
  fake.sayHello();
  await Promise.race([fake.welcomed, closed]).catch(() => {});
  return { fake, socket, closed };
}

export async function openSocket(url: string, options: ClientOptions = {}) {
  const socket = new WebSocket(url, options);
  onTestFinished(() => socket.terminate());
  const closed = once(socket, "close").then(([code, reason]) => ({ code, reason: String(reason) }));
  closed.catch(() => {});
  await once(socket, "open");
  socket.on("error", () => {});
  return { socket, closed };
}

export async function upgradeStatus(url: string, options: ClientOptions = {}): Promise<number> {
  const socket = new WebSocket(url, options);
  return new Promise((resolve, reject) => {
    socket.once("unexpected-response", (_, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.once("open", () => {
      resolve(101);
      socket.terminate();
    });
    socket.on("error", reject);
  });
}

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
