import { z } from "zod";
import { ExecLuaResultSchema } from "./lua.js";

/** `call-tool` runs a tool of the `tools` frame. It is a job and answers as `exec-lua` does. */
const CallToolParamsSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

export const offeredMethods = {
  "call-tool": { params: CallToolParamsSchema, result: ExecLuaResultSchema },
} as const;
