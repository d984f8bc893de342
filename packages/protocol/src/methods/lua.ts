import { z } from "zod";
import { MAX_RETURNS, name } from "../link/bounds.js";
import { LuaValueSchema, luaArray } from "../link/lua.js";

/** Whether the computer keeps what the job's files were before, for `kept-files`. Earlier agents do not look at it. */
export const keep = z.boolean().optional();

export const ExecLuaParamsSchema = z.object({
  code: z.string(),
  keep,
});

export type ExecLuaParams = z.infer<typeof ExecLuaParamsSchema>;

/** Also the result of a failed call, so that output is never lost. */
export const ExecLuaResultSchema = z.object({
  returns: z.preprocess(cutReturns, luaArray(LuaValueSchema, MAX_RETURNS)).catch([]).default([]),
  /** Everything printed or written to the terminal; only the tail when `truncated`. */
  output: z.string().catch("").default(""),
  encoding: z.literal("base64").optional().catch(undefined),
  truncated: z.boolean().optional().catch(undefined),
  lost: z.int().positive().optional().catch(undefined),
  /** Of `move-items`: what went from where to where. Earlier agents say it in words only, or without `to`. */
  moved: luaArray(
    z.object({ from: name, to: name.optional(), item: name, count: z.int().positive() }),
    1_024,
    "cut",
  )
    .optional()
    .catch(undefined),
  /** Whether it changed files whose former contents are kept now, see `kept-files`. */
  kept: z.boolean().optional().catch(undefined),
});

function cutReturns(value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= MAX_RETURNS) return value;
  const more = value.length - MAX_RETURNS + 1;
  return [
    ...value.slice(0, MAX_RETURNS - 1),
    { type: "unknown", value: `... and ${more} more values`, truncated: true },
  ];
}

export type ExecLuaResult = z.infer<typeof ExecLuaResultSchema>;

export const luaMethods = {
  "exec-lua": { params: ExecLuaParamsSchema, result: ExecLuaResultSchema },
} as const;
