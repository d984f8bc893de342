import type { Redact } from "./lines.js";

/** Shorter tokens would be found in any text. */
const MIN_LENGTH = 8;
const REMOVED = "[secret]";

/** Takes the tokens of this bridge out of texts. They are asked for each time, since they may change. */
export function redactor(secrets: () => readonly string[]): Redact {
  return (text) => {
    let clean = text;
    for (const secret of secrets()) {
      if (secret.length >= MIN_LENGTH && clean.includes(secret)) {
        clean = clean.replaceAll(secret, REMOVED);
      }
    }
    return clean;
  };
}
