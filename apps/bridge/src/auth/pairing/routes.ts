import { LinkErrorCode, REVOKED, type Registry } from "@ccbridge/registry";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../../http/errors.js";
import type { TokenHook } from "../credentials.js";
import { isOwner } from "../rights/client.js";
import type { Pairing } from "./pairing.js";

export interface PairingRoutes {
  pairing: Pairing;
  require: TokenHook;
  registry: Registry;
}

/** The routes for `ccbridge pair`, for owners only. */
export function registerPairing(app: FastifyInstance, options: PairingRoutes): void {
  const { pairing, registry } = options;
  const requireOwner: TokenHook = (request, reply, done) => {
    if (request.client !== null && isOwner(request.client)) return done();
    refuse(reply, 403, "This token may not approve computers: it has limits.");
  };
  const requireMode: TokenHook = (_, reply, done) =>
    pairing.mode === "off" ? refuse(reply, 404, "Pairing is off.") : done();
  const onRequest = [options.require, requireOwner, requireMode];
  app.get("/pairing", { onRequest }, async () => ({
    pending: pairing.pending(),
    paired: pairing.paired(),
  }));
  const act = (path: string, run: (text: string, by: string, reply: FastifyReply) => unknown) =>
    app.post(path, { onRequest, bodyLimit: 4_096 }, async (request: FastifyRequest, reply) => {
      const text = textOf(request.body);
      if (text === undefined) return refuse(reply, 400, 'Send {"code": ...} or {"key": ...}.');
      return run(text, request.client?.name ?? "", reply);
    });
  act("/pairing/confirm", (code, by, reply) => {
    const confirmed = pairing.confirm(code, by);
    return confirmed ?? refuse(reply, 404, "No computer waits with this code.");
  });
  act("/pairing/revoke", (typed, by, reply) => {
    const meant = pairing.meant(typed);
    const [{ key } = { key: "" }] = meant;
    if (meant.length > 1) {
      return refuse(reply, 409, `${meant.length} approved computers fit: name one by its code.`);
    }
    const revoked = pairing.revoke(key, by);
    if (revoked === undefined) {
      return refuse(reply, 404, "No approved computer has this id, label or code.");
    }
    registry.session(key)?.close(LinkErrorCode.disconnected, REVOKED);
    return revoked;
  });
}

function textOf(body: unknown): string | undefined {
  try {
    const { code, key } = JSON.parse(String(body)) as { code?: unknown; key?: unknown };
    const text = code ?? key;
    return typeof text === "string" && text.length <= 1_024 ? text : undefined;
  } catch {
    return undefined;
  }
}
