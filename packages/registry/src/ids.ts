/** A random id of 72 bits, unique over all bridges and restarts. A provider cannot guess the id of another's job. */
export function createId(): string {
  // Without the digits that give the version and the variant.
  const hex = globalThis.crypto.randomUUID().replaceAll("-", "");
  return hex.slice(0, 12) + hex.slice(26);
}
