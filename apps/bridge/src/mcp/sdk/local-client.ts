import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export async function connectClient(
  name: string,
  url: string,
  credential: string | undefined,
): Promise<Client> {
  const client = new Client({ name, version: "1" });
  const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  return client;
}
