import type { MethodResult } from "@ccbridge/protocol";
import { isSafeText, textOf, toBase64 } from "../../../format/bytes.js";
import type { Computer } from "../computer.js";
import type { AskContext } from "../request.js";
import { askComputer } from "./ask.js";

export function writeWhole(
  context: AskContext,
  computer: Computer,
  path: string,
  { bytes, expectedHash }: { bytes: Uint8Array; expectedHash?: string | undefined },
): Promise<MethodResult<"write-file">> {
  const text = textOf(bytes);
  return askComputer(context, computer, "write-file", {
    path,
    ...(text !== undefined && isSafeText(text)
      ? { content: text }
      : { content: toBase64(bytes), encoding: "base64" }),
    ...(expectedHash === undefined ? {} : { expectedHash }),
  });
}
