import { installerTemplate } from "./program.js";

export interface InstallerOptions {
  /** Where computers reach the bridge's link port: an http, https, ws or wss URL. */
  url: string;
  /** A link token to remember, if the line that the player typed carried one. */
  token?: string | undefined;
}

/** `install.lua` for one bridge. A player runs it with `wget run <url>/install.lua`. */
export function installer(options: InstallerOptions): string {
  const { http, link } = linkAddresses(options.url);
  return installerTemplate
    .replace('"@HTTP_URL@"', () => luaString(http))
    .replace('"@LINK_URL@"', () => luaString(link))
    .replace('"@TOKEN@"', () => luaString(options.token ?? ""));
}

/** A Lua program that links to this bridge until the player names another. */
export function knowingBridge(program: string, url: string): string {
  const { link } = linkAddresses(url);
  const remember = `if not settings.get("mcp_computer.url") then settings.set("mcp_computer.url", ${luaString(link)}) settings.save(".settings") end`;
  // A comment in the first line tells the installer whose program this is.
  const start = program.startsWith("--") ? program.indexOf("\n") + 1 : 0;
  return `${program.slice(0, start)}${remember}\n${program.slice(start)}`;
}

/** The two addresses of a link port: for files and for the link itself, without a slash at the end. */
function linkAddresses(url: string): { http: string; link: string } {
  const match = /^(?:http|ws)(s?):\/\/([^\s/?#@"\\]+)(\/[^\s?#"\\]*)?$/i.exec(url);
  if (!match) throw new TypeError(`not the address of a bridge: ${JSON.stringify(url)}`);
  const [, secure, authority, path = ""] = match;
  const rest = `${secure?.toLowerCase()}://${authority}${path.replace(/\/+$/, "")}`;
  return { http: `http${rest}`, link: `ws${rest}` };
}

/** A Lua string literal that is ASCII and cannot end early, whatever the text. */
function luaString(text: string): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return plain ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, "0")}`;
  });
  return `"${bytes.join("")}"`;
}
