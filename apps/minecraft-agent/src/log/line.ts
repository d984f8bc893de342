export interface LogLine {
  thread: string;
  level: string;
  text: string;
}

const prefix = /^\[[^\]]+\] \[([^\]]+)\/([A-Z]+)\](?: \[[^\]]*\])?: (.*)$/;
// Paper's console format, if logged to a file.
const shortPrefix = /^\[\d\d:\d\d:\d\d ([A-Z]+)\]: (.*)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
const colours = /\u001b\[[\d;]*[A-Za-z]|§./g;

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
