import { localMcpOrigin } from "../config/public-urls.js";
import type { Config } from "../config/settings.js";
import { connectClient } from "../mcp/sdk/local-client.js";
import type { CommandContext } from "./context.js";
import { identifyBridge } from "./stdio/identify-bridge.js";

export interface UpdateAgentsOptions {
  computers: readonly string[];
  config: Config;
}

type Client = Awaited<ReturnType<typeof connectClient>>;

const ANSWER_MS = 120_000;

const computerUri = /^cc:\/\/computers\/([^/]+)$/;

/**
 * `ccbridge update-agents`: updates mcp-computer on the computers of the bridge that runs on this machine, one after
 * another, as a client with this program's token. A computer that does not come back ends it: the next ones keep
 * what works.
 */
export async function updateAgents(
  { computers, config }: UpdateAgentsOptions,
  { print }: CommandContext,
): Promise<number> {
  const identified = await identifyBridge(config);
  if (identified === undefined) {
    print(`No bridge answers on port ${config.mcpPort}. Start it first.\n`);
    return 1;
  }
  const url = `${localMcpOrigin(config, config.mcpPort)}/mcp`;
  let client: Client | undefined;
  try {
    client = await connectClient("ccbridge update-agents", url, identified.credential);
    const refs = computers.length > 0 ? computers : await linkedComputers(client);
    if (refs.length === 0) print("No computer is linked.\n");
    return (await updateAll(client, refs, print)) ? 0 : 1;
  } catch (error) {
    print(`${(error as Error).message}\n`);
    return 1;
  } finally {
    await client?.close();
  }
}

async function updateAll(
  client: Client,
  refs: readonly string[],
  print: (text: string) => void,
): Promise<boolean> {
  let isGood = true;
  for (const [index, ref] of refs.entries()) {
    const { text, isError } = await update(client, ref);
    print(`${text}\n`);
    if (!isError) continue;
    isGood = false;
    const left = refs.length - index - 1;
    // What was refused changed nothing there.
    if (left > 0 && !(await isLinked(client, ref))) {
      print(`Stopped: ${left === 1 ? "1 computer was" : `${left} computers were`} not updated.\n`);
      break;
    }
  }
  return isGood;
}

async function update(client: Client, ref: string): Promise<{ text: string; isError: boolean }> {
  const call = { name: "power-computer", arguments: { computerId: ref, action: "update" } };
  const { content, isError } = await client.callTool(call, undefined, { timeout: ANSWER_MS });
  const [first] = content as { type: string; text?: string }[];
  return { text: first?.text ?? "", isError: isError === true };
}

async function isLinked(client: Client, ref: string): Promise<boolean> {
  return client.readResource({ uri: `cc://computers/${encodeURIComponent(ref)}` }).then(
    () => true,
    () => false,
  );
}

async function linkedComputers(client: Client): Promise<string[]> {
  const refs: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listResources(cursor === undefined ? {} : { cursor });
    for (const { uri } of page.resources) {
      const [, ref] = computerUri.exec(uri) ?? [];
      if (ref !== undefined) refs.push(decodeURIComponent(ref));
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return refs;
}
