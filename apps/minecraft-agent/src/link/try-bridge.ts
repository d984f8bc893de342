import WebSocket from "ws";
import { messageOf } from "../errors.js";

export function explainDialError(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "the connection was refused (is the bridge running there?)";
  if (code === "ENOTFOUND") return `${messageOf(error)} (is the address right?)`;
  return messageOf(error);
}

export function explainStatus(status: number | undefined): string {
  const advice: Record<number, string> = {
    401: " (the token is not one of its MINECRAFT_TOKENS)",
    403: " (no server may link there: are its MINECRAFT_TOKENS set?)",
    404: " (does the address end with /minecraft?)",
    429: " (too many wrong tokens came from here; wait a minute)",
  };
  return `the bridge answered ${status}${advice[status ?? 0] ?? ""}`;
}

/** Connects and closes before the hello. Undefined when the token is accepted, otherwise the problem. */
export function tryBridge(
  { url, token }: { url: string; token: string },
  timeoutMs: number,
): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { headers, handshakeTimeout: timeoutMs });
  return new Promise((resolve) => {
    socket.on("open", () => {
      socket.terminate();
      resolve(undefined);
    });
    socket.on("unexpected-response", (request, { statusCode }) => {
      request.destroy();
      resolve(explainStatus(statusCode));
    });
    socket.on("error", (error) => resolve(explainDialError(error)));
  });
}
