import { newNonce, proofOf, ticketOf } from "../../auth/proof.js";
import { sameSecret } from "../../auth/tokens.js";
import { localMcpOrigin } from "../../config/public-urls.js";
import type { Config } from "../../config/settings.js";
import { askHealth, readAtMost } from "../../http/health-client.js";
import { StartError } from "../../http/listen.js";

const ANSWER_MS = 1_000;
const MAX_ANSWER_BYTES = 16_384;

export interface IdentifiedBridge {
  credential?: string;
}

/**
 * Finds out whether the program on the MCP port is a bridge, without trusting it: the token is not
 * sent, and both sides prove that they know it. Undefined when it is another program.
 */
export async function identifyBridge(config: Config): Promise<IdentifiedBridge | undefined> {
  if (config.mcpPort === 0) return undefined;
  const [token] = config.mcpTokens;
  if (token === undefined) {
    const health = await askHealth(config.mcpHost, config.mcpPort);
    return health?.side === "mcp" ? {} : undefined;
  }
  const base = localMcpOrigin(config, config.mcpPort);
  const { name, challenge } = (await ask(`${base}/proof`))?.body ?? {};
  if (name !== "ccbridge") return undefined;
  // The bridge needs no token.
  if (challenge === null) return {};
  if (typeof challenge !== "string") return undefined;
  const exchanged = { port: config.mcpPort, nonce: newNonce(), challenge };
  const { nonce } = exchanged;
  const answer = await ask(`${base}/proof`, {
    nonce,
    challenge,
    proof: proofOf(token, "client", exchanged),
  });
  if (answer?.status === 401 || answer?.status === 429) {
    throw new StartError(
      `The bridge on port ${config.mcpPort} does not accept this program's token: ${answer.message} ` +
        "Start this program with one of the MCP_TOKENS of that bridge, or on another port.",
      { code: "EACCES" },
    );
  }
  const proof = String(answer?.body.proof);
  if (!sameSecret(proof, proofOf(token, "bridge", exchanged))) return undefined;
  return { credential: ticketOf(token, exchanged) };
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
  message: string;
}

/** Undefined when the response is not JSON, too long, or does not arrive. */
async function ask(url: string, body?: object): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: "error",
      ...(body === undefined
        ? {}
        : {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
    });
    const value = JSON.parse(await readAtMost(response, MAX_ANSWER_BYTES)) as Record<
      string,
      unknown
    > | null;
    const { message = "" } = (value?.error ?? {}) as { message?: unknown };
    return { status: response.status, body: value ?? {}, message: String(message).slice(0, 200) };
  } catch {
    return undefined;
  }
}
