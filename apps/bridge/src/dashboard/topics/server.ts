import type { TopicData } from "@ccbridge/protocol/dashboard";
import { ServerInfoSchema } from "@ccbridge/protocol/minecraft";
import { poll } from "@ccbridge/registry";
import { z } from "zod";
import { CallRefused } from "../../calls/rates.js";
import { builtIn, factsFrom, polled } from "../context/tools.js";
import type { ViewerCalls } from "../context/viewer-calls.js";
import { type Watch, watchShared } from "./watch.js";

/** A server is asked through RCON at worst, where each question is a line in its log. */
const POLL_MS = 10_000;

const PlayersSchema = z.object({ players: z.array(z.string()) });

type ServerState = TopicData<"server">;

const unknown = {
  version: null,
  players: [],
  maxPlayers: null,
  tps: null,
  weather: null,
  timeOfDay: null,
};

export function watchServer(
  calls: ViewerCalls,
  key: string,
  ready: () => void,
): Watch<ServerState> {
  const port = calls.only(key);
  const ask = async (tool: string) => {
    const outcome = await calls.run(polled(builtIn(tool), key), {}, port);
    if (outcome.isError === true) throw new Error(outcome.text);
    return factsFrom(outcome);
  };
  const read = async (): Promise<ServerState> => {
    const { version, maxPlayers, tps, weather, timeOfDay } = ServerInfoSchema.parse(
      (await ask("get_server_info")).info,
    );
    const { players } = PlayersSchema.parse(await ask("get_online_players"));
    return { version, maxPlayers, tps, weather, timeOfDay, players, problem: null };
  };
  return watchShared<ServerState, ServerState>(
    ready,
    (notify) =>
      poll(async () => {
        notify(
          await read().catch((error: Error) =>
            error instanceof CallRefused ? error : { ...unknown, problem: error.message },
          ),
        );
      }, POLL_MS),
    (state) => state,
  );
}
