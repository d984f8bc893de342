/** An address as a log or a terminal may show it: without a user, a password, or what its query holds. */
export function shownUrl(url: string): string {
  const shown = new URL(url);
  if (shown.username !== "" || shown.password !== "") {
    shown.username = "***";
    shown.password = "";
  }
  for (const name of new Set(shown.searchParams.keys())) {
    // The name of this server is all that the dialect itself puts there, beside the token.
    if (name !== "server") shown.searchParams.set(name, "***");
  }
  return shown.href;
}
