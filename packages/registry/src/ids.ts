// 32 letters: five bits each, without those that are easily taken for another.
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 14;
/** Random bytes are cheap by the thousand and dear one by one. */
const POOL_BYTES = LENGTH * 256;

/**
 * Makes ids that nobody can guess: a provider that names the id of another's job, or of one that does not
 * exist yet, has to know it. 70 bits, unique over all bridges and restarts.
 */
export function createIds(): () => string {
  const pool = new Uint8Array(POOL_BYTES);
  let at = POOL_BYTES;
  return () => {
    if (at === POOL_BYTES) {
      globalThis.crypto.getRandomValues(pool);
      for (let i = 0; i < POOL_BYTES; i++) pool[i] = LETTERS.charCodeAt((pool[i] ?? 0) & 31);
      at = 0;
    }
    // In one piece: a text that was put together letter by letter is slow as the key of a map. Without a spread,
    // which would walk through the letters one by one.
    const id: string = Reflect.apply(String.fromCharCode, null, pool.subarray(at, at + LENGTH));
    at += LENGTH;
    return id;
  };
}
