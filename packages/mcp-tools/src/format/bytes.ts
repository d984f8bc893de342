// Not Buffer: this package does not depend on Node.

const SLICE = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  }
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Undefined when not UTF-8. Keeps a byte order mark. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function isSafeText(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

/** The pieces may end anywhere, so join their bytes. */
export function joinBase64(pieces: readonly string[]): string {
  return pieces.length === 1 ? (pieces[0] ?? "") : btoa(pieces.map(atob).join(""));
}
