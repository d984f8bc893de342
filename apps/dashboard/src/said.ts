/** `computer 30 (Label: "quarry")` as people say it. Two computers may have one label: the number distinguishes them. */
export function said(text: string): string {
  return text
    .replace(/(?:[Cc]omputer )?\b(\d+) \(Label: null\)/g, "Computer $1")
    .replace(/(?:[Cc]omputer )?\b(\d+) \(Label: ([^")]+)\)/g, "$2 (#$1)")
    .replace(/(?:[Cc]omputer )?\b(\d+) \(Label: "((?:[^"\\]|\\.)*)"\)/g, "$2 (#$1)");
}

/** The name of every client of a bridge without tokens. */
const WITHOUT_TOKEN = "anyone";

/** Whose token it was, where there are tokens. */
export function tokenText(client: string): string {
  return client === WITHOUT_TOKEN ? "" : `token ${client} · `;
}

/** Whose token did it, at the end of what was done. */
export function byText(client: string): string {
  return client === "" || client === WITHOUT_TOKEN ? "" : ` by ${client}`;
}

/** Who it was that used a dashboard. */
export function personName(client: string): string {
  return client === WITHOUT_TOKEN ? "A person" : client;
}

/** What a change was, without the hashes and ids by which clients name it. */
export function changeText(text: string, ids: readonly string[] = []): string {
  const words = said(text).replace(/, hash [\w-]+/g, "");
  if (ids.length === 0) return words;
  return words.replace(new RegExp(` \\((?:(?:${ids.join("|")})(?:, )?)+\\)`, "g"), "");
}
