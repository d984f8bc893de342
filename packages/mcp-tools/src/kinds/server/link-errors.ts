import { LinkError, LinkErrorCode } from "@ccbridge/registry";
import { ToolError } from "../../core/errors.js";

const checkFirst = "It may still have happened: check the state before you do it again.";
const lost = `Call list-servers to see when the server is back. ${checkFirst}`;

/** Only hints that differ from those of other providers. */
const hints: Partial<Record<LinkErrorCode, string>> = {
  [LinkErrorCode.notLinked]:
    "Call list-servers to see which servers are linked. A server links when its owner starts the server agent beside it, or a mod in it.",
  [LinkErrorCode.ambiguous]: "Call again with one of these as server.",
  [LinkErrorCode.timedOut]: checkFirst,
  [LinkErrorCode.replaced]: lost,
  [LinkErrorCode.disconnected]: lost,
  [LinkErrorCode.silent]: lost,
  [LinkErrorCode.notReading]: "Nothing was sent. The server hangs; call list-servers later.",
};

export async function onServer<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const hint = error instanceof LinkError ? hints[error.code] : undefined;
    if (hint === undefined) throw error;
    throw new ToolError((error as LinkError).message, hint);
  }
}
