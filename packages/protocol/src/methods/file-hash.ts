/** The largest prime below 2^44: a state times 257 stays below 2^53, where numbers are exact. */
const PRIME = 2 ** 44 - 17;

/** A file's content hash as agents compute it: detects changes, not cryptographic. Other callers treat it as opaque. */
export function fileHash(bytes: Uint8Array): string {
  let state = 1;
  for (const byte of bytes) state = (state * 257 + byte) % PRIME;
  return `${state.toString(16).padStart(11, "0")}-${bytes.length}`;
}
