import { z } from "zod";
import { ExecLuaResultSchema } from "./lua.js";

const CallToolParamsSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

export const offeredMethods = {
  "call-tool": { params: CallToolParamsSchema, result: ExecLuaResultSchema },
} as const;
