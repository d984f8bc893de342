import { isSafeText, toBase64, utf8 } from "../../format/bytes.js";

/** Texts in a form that every computer can read: as they are, or all of them as base64. */
export function sendable<T extends Record<string, string>>(texts: T): T & { encoding?: "base64" } {
  if (Object.values(texts).every(isSafeText)) return texts;
  const encoded = Object.entries(texts).map(([name, text]) => [name, toBase64(utf8(text))]);
  return { ...(Object.fromEntries(encoded) as T), encoding: "base64" };
}
