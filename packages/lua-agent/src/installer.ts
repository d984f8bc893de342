import { installerTemplate } from "./program.js";

export interface InstallerOptions {
  url: string;
  token?: string | undefined;
}

export function installer(options: InstallerOptions): string {
  const { http, link } = linkAddresses(options.url);
  return installerTemplate
    .replace('"@HTTP_URL@"', () => luaString(http))
    .replace('"@LINK_URL@"', () => luaString(link))
    .replace('"@TOKEN@"', () => luaString(options.token ?? ""));
}

export function knowingBridge(program: string, url: string): string {
  const { link } = linkAddresses(url);
  const remember = `if not settings.get("mcp_computer.url") then settings.set("mcp_computer.url", ${luaString(link)}) settings.save(".settings") end`;
  // The comment in the first line identifies the program to the installer.
  const start = program.startsWith("--") ? program.indexOf("\n") + 1 : 0;
  return `${program.slice(0, start)}${remember}\n${program.slice(start)}`;
}

function linkAddresses(url: string): { http: string; link: string } {
  const match = /^(?:http|ws)(s?):\/\/([^\s/?#@"\\]+)(\/[^\s?#"\\]*)?$/i.exec(url);
  if (!match) throw new TypeError(`not the address of a bridge: ${JSON.stringify(url)}`);
  const [, secure, authority, path = ""] = match;
  const rest = `${secure?.toLowerCase()}://${authority}${path.replace(/\/+$/, "")}`;
  return { http: `http${rest}`, link: `ws${rest}` };
}

function luaString(text: string): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return plain ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, "0")}`;
  });
  return `"${bytes.join("")}"`;
}
