/** A random id of 72 bits, unique over all bridges and restarts. A provider cannot guess the id of another's job. */
export function createId(): string {
  const uuid = globalThis.crypto.randomUUID();
  // Without the dashes and the digits that give the version and the variant.
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(30);
}

/** Ids that are as unique, but can be guessed: for requests, whose answers count only on their own link. */
export function numberedIds(): () => string {
  const prefix = createId();
  let count = 0;
  return () => `${prefix}-${++count}`;
}
