import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { openSocket } from "../helpers/computer.js";
import { callTool } from "../helpers/sdk-client.js";

export const item = "minecraft:coal";

/** A computer with chests. Silent, it moves what it is asked to move, and does not say so. */
export async function linkChests(
  url: string,
  chests: Map<string, number>,
  kept: readonly string[] = [],
) {
  const { socket } = await openSocket(url);
  const state = { isSilent: false, moves: 0, onLook: () => {}, unsaid: [] as object[] };
  const send = (message: object) => socket.send(JSON.stringify(message));
  const move = ({ from, to, count }: { from: string; to: string; count?: number }) => {
    state.moves += 1;
    const moved = Math.min(count ?? Number.POSITIVE_INFINITY, chests.get(from) ?? 0);
    chests.set(from, (chests.get(from) ?? 0) - moved);
    chests.set(to, (chests.get(to) ?? 0) + moved);
    return { returns: [], output: "", moved: [{ from, to, item, count: moved }] };
  };
  socket.on("message", (data) => {
    const { type, id, method, params } = JSON.parse(data.toString());
    if (type === "ping") return send({ type: "pong" });
    if (type !== "request") return;
    if (method === "list-inventory") state.onLook();
    const slots = (name: string) => [{ slot: 1, name: item, count: chests.get(name) }];
    const result =
      method === "move-items"
        ? move(params)
        : {
            inventories: (params?.names ?? [...chests.keys()]).map((name: string) => ({
              ...{ name, types: ["chest"], size: 27, slots: slots(name) },
            })),
          };
    const answer = { type: "response", id, ok: true, result };
    if (state.isSilent && method === "move-items") state.unsaid.push(answer);
    else send(answer);
  });
  send({
    ...{ type: "hello", protocol: 2, computerId: 12, label: "chests", jobs: kept },
    features: ["cancel", "output", "jobs"],
    methods: ["exec-lua", "list-inventory", "move-items"],
  });
  return Object.assign(state, { send });
}

interface Listed {
  readonly id: string;
  readonly canBeUndone: boolean;
  readonly undoing?: string;
}

export async function listChanges(client: Client): Promise<readonly Listed[]> {
  const { structuredContent } = await callTool(client, "list-changes", {});
  return (structuredContent as unknown as { changes: Listed[] }).changes;
}
