/** A placeholder for any letter. */
const ANY = "?";

/**
 * What a name looks like at a glance: names with the same look are mistaken for one another. Case, separators,
 * accents and what is invisible do not count, nor do letters that resemble each other. A letter of another
 * script, which may resemble any letter, becomes {@link ANY}.
 */
export function confusableKey(name: string): string {
  return inAscii(name)
    .toLowerCase()
    .replace(/[-_]/g, "")
    .replace(/[i1|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}

function inAscii(name: string): string {
  if (/^[\w-]*$/.test(name)) return name;
  return name
    .normalize("NFKD")
    .replace(/[\p{DI}\p{C}\p{M}\p{P}\p{Z}$+<=>^`~]/gu, "")
    .replace(/[^a-zA-Z0-9|]/gu, ANY);
}

export function isMistakable(look: string, others: ReadonlySet<string>): boolean {
  if (!look.includes(ANY)) return others.has(look);
  const pattern = new RegExp(`^${look.replaceAll(ANY, ".")}$`);
  for (const other of others) {
    if (other.length === look.length && pattern.test(other)) return true;
  }
  return false;
}
