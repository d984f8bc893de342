const MIN_LENGTH = 16;
/** Random tokens of 16 characters have about twice as many of both. */
const MIN_DISTINCT = 6;
const MIN_STEPS = 8;
const COMMON =
  /tokens?|password|passwd|secret|change|please|example|default|admin|owner|minecraft|computer|craft|ccbridge|bridge|server|client|local|dashboard|your|mine|test|qwerty|asdf|letmein|welcome/g;

export function isWeakToken(token: string): boolean {
  if (token.length < MIN_LENGTH || /^(.{1,15})\1+$/.test(token)) return true;
  const rest = token
    .toLowerCase()
    .replace(COMMON, "")
    .replace(/[^a-z0-9]/g, "");
  return new Set(rest).size < MIN_DISTINCT || steps(rest) < MIN_STEPS;
}

/** Counts characters that neither repeat nor succeed the previous one, as in aaaa and 1234. */
function steps(text: string): number {
  let count = 0;
  for (let at = 1; at < text.length; at++) {
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) > 1) count += 1;
  }
  return count;
}
