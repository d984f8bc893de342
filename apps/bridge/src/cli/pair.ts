import { computerName, inline } from "@ccbridge/registry";
import type { PairedComputer } from "../auth/pairing/paired.js";
import type { PendingPairing } from "../auth/pairing/pairing.js";
import { anyone } from "../auth/rights/client.js";
import { localMcpOrigin } from "../config/public-urls.js";
import type { Config } from "../config/settings.js";
import { readAtMost } from "../http/health-client.js";
import type { CommandContext } from "./context.js";
import { identifyBridge } from "./stdio/identify-bridge.js";

export interface PairOptions {
  code: string | undefined;
  revoke: string | undefined;
  config: Config;
}

const ANSWER_MS = 5_000;
const MAX_ANSWER_BYTES = 4_194_304;

interface Lists {
  pending: PendingPairing[];
  paired: PairedComputer[];
}

type Computer = Pick<PendingPairing, "computerId" | "label" | "world">;

/** `ccbridge pair`: approves, revokes or lists computers on the bridge that runs on this machine. */
export async function pair(
  options: PairOptions,
  { print, program }: CommandContext,
): Promise<number> {
  const { code, revoke, config } = options;
  const identified = await identifyBridge(config);
  if (identified === undefined) {
    print(`No bridge answers on port ${config.mcpPort}. Start it first.\n`);
    return 1;
  }
  const ask = asker(config, identified.credential);
  try {
    if (revoke !== undefined) {
      const revoked = (await ask("/pairing/revoke", { key: revoke })) as PairedComputer;
      print(`${nameOf(revoked)} is no longer approved.\n`);
    } else if (code !== undefined) {
      const confirmed = (await ask("/pairing/confirm", { code })) as PendingPairing;
      print(`${nameOf(confirmed)} is approved.\n`);
    } else {
      print(listText((await ask("/pairing")) as Lists, program));
    }
    return 0;
  } catch (error) {
    print(`${(error as Error).message}\n`);
    return 1;
  }
}

function asker(config: Config, credential: string | undefined) {
  const base = localMcpOrigin(config, config.mcpPort);
  const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  return async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${base}${path}`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: "error",
      headers: { ...authorization, ...(body && { "content-type": "application/json" }) },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    const answer = JSON.parse(await readAtMost(response, MAX_ANSWER_BYTES)) as {
      error?: { message?: unknown };
    };
    if (response.ok) return answer;
    // The route does not exist when pairing is off.
    const isOff = response.status === 404 && path === "/pairing";
    throw new Error(
      isOff ? "This bridge runs with CC_PAIRING=off." : String(answer.error?.message),
    );
  };
}

/** A shell would take the quotes out of a key. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function listText({ pending, paired }: Lists, program: string): string {
  const waiting = pending.map(
    ({ code, showsCode, replaces, address, ...computer }) =>
      `  ${code}  ${nameOf(computer)}, from ${address}${showsCode ? "" : "; its program is too old to show the code"}${replaces ? "; claims to be a computer that is already approved" : ""}`,
  );
  const known = paired.map(
    ({ key, code, pairedAt, pairedBy, address, ...computer }) =>
      `  ${code ?? shellQuoted(key)}  ${nameOf(computer)}${address === null ? "" : ` at ${address}`}, since ${new Date(pairedAt).toISOString().slice(0, 10)}${pairedBy === anyone.name ? "" : ` by ${pairedBy}`}`,
  );
  return [
    waiting.length === 0 ? "No computer waits for approval." : "Waiting for approval:",
    ...waiting,
    known.length === 0
      ? "No computer is approved."
      : `Approved (${program} pair --revoke, with the id, the label or what is in front):`,
    ...known,
    "",
  ].join("\n");
}

function nameOf({ computerId, label, world }: Computer): string {
  const where = world === null ? "" : ` in world ${inline(world)}`;
  return `Computer ${computerName({ computerId, label })}${where}`;
}
