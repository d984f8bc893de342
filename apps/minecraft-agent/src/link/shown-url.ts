/** For logs and terminals: without credentials and query values. */
export function shownUrl(url: string): string {
  const shown = new URL(url);
  if (shown.username !== "" || shown.password !== "") {
    shown.username = "***";
    shown.password = "";
  }
  for (const name of new Set(shown.searchParams.keys())) {
    // The server's name is the only harmless value.
    if (name !== "server") shown.searchParams.set(name, "***");
  }
  return shown.href;
}
