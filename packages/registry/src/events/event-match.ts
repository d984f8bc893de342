import type { EventWatch } from "@ccbridge/protocol";

export function matchesGlob(pattern: string, text: string): boolean {
  const pieces = pattern.split("*");
  const [head = "", ...rest] = pieces;
  const tail = rest.pop();
  if (tail === undefined) return text === head;
  const stop = text.length - tail.length;
  if (stop < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at < 0 || at + piece.length > stop) return false;
    from = at + piece.length;
  }
  return true;
}

export function matchesWatch(
  { name, filter }: EventWatch,
  event: { name: string; args: readonly unknown[] },
): boolean {
  if (!matchesGlob(name, event.name)) return false;
  return Object.entries(filter ?? {}).every(([position, wanted]) => {
    const value = event.args[Number(position) - 1];
    if (typeof wanted !== "string") return value === wanted;
    const comparable = ["string", "number", "boolean"].includes(typeof value);
    return comparable && matchesGlob(wanted, String(value));
  });
}

export function sameWatch(a: EventWatch, b: EventWatch): boolean {
  return a.name === b.name && sorted(a) === sorted(b);
}

function sorted({ filter = {} }: EventWatch): string {
  return JSON.stringify(Object.entries(filter).sort(([a], [b]) => Number(a) - Number(b)));
}
