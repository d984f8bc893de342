// Base64 with what every JavaScript engine has: this package does not depend on Node.

const SLICE = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  }
  return btoa(binary);
}

/** Throws if the text is not base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The text of some bytes, or undefined when they are not UTF-8. A byte order mark stays. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether text arrives unharmed on every computer: old ones garble what is above U+FFFF. */
export function isSafeText(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

/** Joins pieces of base64 that may end anywhere, as bytes. */
export function joinBase64(pieces: readonly string[]): string {
  return pieces.length === 1 ? (pieces[0] ?? "") : btoa(pieces.map(atob).join(""));
}
