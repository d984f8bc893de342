import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config, Logger } from "../../src/index.js";
import { startTestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { connectClient } from "../helpers/sdk-client.js";

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A bridge whose tokens are lines of a file, which a test may write again. */
export async function startWithTokens(lines: string, settings: Partial<Config> = {}, log?: Logger) {
  const file = join(scratchDirectory(), "tokens");
  const write = (text: string) => writeFileSync(file, text);
  write(lines);
  const bridge = await startTestBridge({ mcpTokensFile: file, ...settings }, log);
  return {
    ...bridge,
    file,
    write,
    connect: (token: string) => connectClient(bridge.mcpUrl, bearer(token)),
  };
}
