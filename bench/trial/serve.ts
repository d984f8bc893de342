import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type PlaceName, places } from "./places.js";
import { startTrial } from "./trial.js";

export async function serve(
  ticksPerSecond: number,
  place: string,
): Promise<{ port: number; ended: Promise<unknown> }> {
  if (!Object.hasOwn(places, place)) {
    throw new Error(`--place is one of ${Object.keys(places).join(", ")}`);
  }
  const trial = await startTrial({ ticksPerSecond, place: place as PlaceName });
  const answers: Record<string, (question: unknown) => unknown> = {
    "/tools": async () => ({ instructions: trial.instructions, tools: await trial.tools() }),
    "/tasks": () => trial.tasks.map(({ name, words }) => ({ name, words })),
    "/call": (question) => {
      const { tool, args, task } = question as {
        tool: string;
        args: Record<string, unknown>;
        task?: string;
      };
      return trial.call(tool, args, task);
    },
    "/calls": () => trial.calls,
    "/score": () => trial.score(),
    "/stop": () => {
      server.close();
      return {};
    },
  };
  const respond = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const answer = answers[request.url ?? ""];
    if (request.method !== "POST" || answer === undefined) return [404, { message: "not found" }];
    try {
      return [200, await answer(JSON.parse(await text(request)))];
    } catch (error) {
      return [500, { message: (error as Error).message }];
    }
  };
  const server = createServer(async (request, response) => {
    const [status, body] = await respond(request);
    response.writeHead(status, { connection: "close" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ended = once(server, "close").then(() => trial.close());
  return { port: (server.address() as AddressInfo).port, ended };
}
