import { createHash } from "node:crypto";

/** 80 bits, so that no other secret with the same code can be found. */
const DIGITS = 20;

export function serverCode(computerId: number, secret: string): string {
  const hash = createHash("sha256").update(secret).digest("hex");
  return `${computerId}-${hash.slice(0, DIGITS)}`;
}

export function isServerCode(text: string): boolean {
  return new RegExp(`^\\d{1,10}-[0-9a-f]{${DIGITS}}$`).test(text);
}
