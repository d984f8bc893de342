import { z } from "zod";
import { MAX_RETURNS } from "../link/bounds.js";
import { LuaValueSchema, luaArray } from "../link/lua.js";

/** `exec-lua` asks a computer to run Lua source, as an expression first and as statements second. */
export const ExecLuaParamsSchema = z.object({
  /** The Lua source. */
  code: z.string(),
});

export type ExecLuaParams = z.infer<typeof ExecLuaParamsSchema>;

/** What `exec-lua` answers, and on failure too, so that output is never lost. */
export const ExecLuaResultSchema = z.object({
  /** The returned values, in order. */
  returns: z.preprocess(cutReturns, luaArray(LuaValueSchema, MAX_RETURNS)).catch([]).default([]),
  /** All text of print, write, printError, io.write and term.write, or its tail when it was cut. */
  output: z.string().catch("").default(""),
  /** Set when `output` is base64 because its bytes are not UTF-8. */
  encoding: z.literal("base64").optional().catch(undefined),
  /** True when `output` is only the end of it. */
  truncated: z.boolean().optional().catch(undefined),
  /** Bytes of output that are gone for good: they were neither streamed nor are they in `output`. */
  lost: z.int().positive().optional().catch(undefined),
});

/** The first values; one more says how many there were. */
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
