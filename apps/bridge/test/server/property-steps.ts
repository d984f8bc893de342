import { encodeEvent, toolNames } from "@ccbridge/protocol/minecraft";
import type { AnyEvent } from "./arbitraries.js";
import type { FakeMod } from "./fake-mod.js";
import type { connect } from "./helpers.js";

export const hello = { acknowledge: true };
export const everything = {
  minecraftTools: [...toolNames],
  minecraftCommands: "^say .{1,200}$",
};

let count = 0;

export async function sendEvent(mod: FakeMod, event: AnyEvent): Promise<void> {
  const id = `happened-${++count}`;
  mod.send(encodeEvent({ source: "minecraft", id }, event));
  await mod.until(() => mod.answerTo(id) !== undefined);
}

interface Page {
  events: { server: string; event: string; time: string; data: unknown }[];
  cursor: number;
}

export type Call = Awaited<ReturnType<typeof connect>>["call"];

export async function read(call: Call, args: object): Promise<Page> {
  const { structuredContent } = await call("get-server-events", { limit: 100, ...args });
  return structuredContent as unknown as Page;
}
