import { z } from "zod";
import { MAX_RETURNS, name } from "../link/bounds.js";
import { LuaValueSchema, luaArray } from "../link/lua.js";

export const ExecLuaParamsSchema = z.object({
  code: z.string(),
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
  /** Of `move-items`: what came from where. Earlier agents say it in words only. */
  moved: luaArray(z.object({ from: name, item: name, count: z.int().positive() }), 1_024, "cut")
    .optional()
    .catch(undefined),
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
