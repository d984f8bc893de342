import type { ChangeLog, KeptChange, KeptChangeFilter } from "@ccbridge/registry";
import { z } from "zod";
import { readTime } from "../core/clock.js";
import type { ToolContext } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import type { Undoer } from "../core/undo.js";
import { findProviders } from "./find-providers.js";

const plain = z.string().min(1).max(256).optional();

/** Which changes are meant; all of these that are given. */
export const choice = {
  provider: z
    .union([z.int(), z.string().min(1).max(200)])
    .optional()
    .meta({ description: "An id, or a part of a label or name.", obvious: true }),
  file: plain.meta({ description: "A part of a path.", obvious: true }),
  client: plain.meta({ description: "The name of a client's token.", obvious: true }),
  trace: plain.meta({ description: "The trace id of a call.", obvious: true }),
  job: plain.meta({ description: "The id of a job.", obvious: true }),
  since: plain.meta({ description: "As in get-history.", obvious: true }),
  until: plain.meta({ description: "The end of the time, as since.", obvious: true }),
};

export type Choice = z.output<z.ZodObject<typeof choice>>;

type Asking = Pick<ToolContext, "settings" | "history">;

export async function filterOf(
  { provider, file, client, trace, job, since, until }: Choice,
  context: Asking,
): Promise<Omit<KeptChangeFilter, "limit">> {
  const { history } = context;
  const providers = history && (await findProviders(provider, history, context));
  return {
    ...{ client, job, trace, subjectPart: file },
    ...(providers === undefined ? {} : { keys: providers.map(({ key }) => key) }),
    ...(since === undefined ? {} : { since: readTime(since, "start") }),
    ...(until === undefined ? {} : { until: readTime(until, "end") }),
  };
}

export function changesOf({ changes }: Pick<ToolContext, "changes">): ChangeLog {
  if (changes !== undefined) return changes;
  throw new ToolError(
    "This bridge keeps no changes.",
    "Look at what is there now, and put it right with the other tools.",
  );
}

/** How a change is undone: its kind knows. */
export function undoerOf(change: KeptChange, { settings }: Pick<ToolContext, "settings">) {
  for (const { undo } of settings.kinds.all) {
    const undoer: Undoer | undefined = undo?.[change.what];
    if (undoer !== undefined) return undoer;
  }
  return undefined;
}
