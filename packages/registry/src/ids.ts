// 32 letters: five bits each, without those that are easily taken for another.
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 14;

/** A random id of 70 bits, unique over all bridges and restarts. A provider cannot guess the id of another's job. */
export function createId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(LENGTH));
  return Array.from(bytes, (byte) => LETTERS[byte & 31]).join("");
}
