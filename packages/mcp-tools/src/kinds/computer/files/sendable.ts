import { isSafeText, toBase64, utf8 } from "../../../format/bytes.js";

/** Falls back to base64 for all texts when one is not safe on old computers. */
export function sendable<T extends Record<string, string>>(texts: T): T & { encoding?: "base64" } {
  if (Object.values(texts).every(isSafeText)) return texts;
  const encoded = Object.entries(texts).map(([name, text]) => [name, toBase64(utf8(text))]);
  return { ...(Object.fromEntries(encoded) as T), encoding: "base64" };
}
