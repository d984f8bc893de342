import texts from "./vitest.texts.json" with { type: "json" };

// Each sentence of ours that a test compares, once: a test says which one it means, not how it is worded.
export { texts };

/** A text with values for %1, %2 and so on. */
export function fill(text: string, ...values: readonly unknown[]): string {
  return text.replace(/%(\d)/g, (_, number: string) => String(values[Number(number) - 1]));
}
