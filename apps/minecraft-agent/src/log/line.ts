/** A line of the server's log, without its prefix. */
export interface LogLine {
  thread: string;
  level: string;
  text: string;
}

// Time, thread and level, and on Forge and NeoForge the logger.
const prefix = /^\[[^\]]+\] \[([^\]]+)\/([A-Z]+)\](?: \[[^\]]*\])?: (.*)$/;
// Consoles of Paper, for those who log them to a file.
const shortPrefix = /^\[\d\d:\d\d:\d\d ([A-Z]+)\]: (.*)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
const colours = /\u001b\[[\d;]*[A-Za-z]|§./g;

/** Reads a line, in any of the servers' layouts. What has no prefix is not a line of its own. */
export function parseLogLine(raw: string): LogLine | undefined {
  const line = raw.replace(colours, "").replace(/\r$/, "");
  const [, thread, level, text] = prefix.exec(line) ?? [];
  if (thread !== undefined && level !== undefined && text !== undefined) {
    return { thread, level, text };
  }
  const [, shortLevel, shortText] = shortPrefix.exec(line) ?? [];
  if (shortLevel === undefined || shortText === undefined) return undefined;
  return { thread: "Server thread", level: shortLevel, text: shortText };
}
