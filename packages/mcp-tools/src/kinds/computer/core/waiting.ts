export function waitingText(count: number, mayApprove: boolean): string | undefined {
  if (count === 0) return undefined;
  const who = count === 1 ? "1 computer waits" : `${count} computers wait`;
  const how = mayApprove
    ? "Ask the user for the code on its screen and call approve-computer, or have the user approve it"
    : "The bridge's owner approves it once,";
  return `${who} for approval and cannot be used before. ${how} in the dashboard or with \`ccbridge pair\`.`;
}
