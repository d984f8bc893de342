/** Plain HTTP, for what the SDK's client would never send. */
export interface PostOptions {
  session?: string;
  accept?: string;
  body: unknown;
  headers?: Record<string, string>;
}

export function post(
  url: string,
  { session, accept, body, headers }: PostOptions,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: accept ?? "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

export const initializeBody = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "0" },
  },
};

export async function initialize(
  url: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await post(url, { body: initializeBody, headers });
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error(`no session: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
  return session;
}
