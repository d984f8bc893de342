// 32 letters: five bits each, without those that are easily taken for another.
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 14;
/** Random bytes, and ids, are cheap by the dozen and dear one by one. */
const AT_ONCE = 64;

/**
 * Makes ids that nobody can guess: a provider that names the id of another's job, or of one that does not
 * exist yet, has to know it. 70 bits, unique over all bridges and restarts.
 */
export function createIds(): () => string {
  const letters = new Uint8Array(LENGTH * AT_ONCE);
  const ids: string[] = [];
  return () => {
    if (ids.length === 0) {
      globalThis.crypto.getRandomValues(letters);
      for (let i = 0; i < letters.length; i++) {
        letters[i] = LETTERS.charCodeAt((letters[i] ?? 0) & 31);
      }
      for (let at = 0; at < letters.length; at += LENGTH) {
        // In one piece: a text that was put together letter by letter is slow as the key of a map.
        ids.push(Reflect.apply(String.fromCharCode, null, letters.subarray(at, at + LENGTH)));
      }
    }
    return ids.pop() as string;
  };
}
