import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { scratchDirectory } from "./scratch.js";

const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

function programPath(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

const hosting = readFileSync(new URL("../../../../docs/hosting.md", import.meta.url), "utf8");

export function hostingBlocks(language: string): string[] {
  const blocks = hosting.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\``, "gm"));
  return [...blocks].map(([, indent = "", text = ""]) =>
    text.replace(new RegExp(`^${indent}`, "gm"), ""),
  );
}

export interface ProxyPorts {
  mcp: number;
  link: number;
  public: number;
}

export type ProxyName = "nginx" | "caddy";

const programs = { nginx: ["nginx", "openssl"], caddy: ["caddy"] } as const;

export function missingProxy(name: ProxyName): string | undefined {
  const missing = programs[name].filter((program) => programPath(program) === undefined);
  return missing.length === 0 ? undefined : `skipped: no ${missing.join(", ")} found`;
}

export async function startRealProxy(name: ProxyName, ports: ProxyPorts): Promise<void> {
  const folder = scratchDirectory();
  const config = name === "nginx" ? nginxConfig(folder, ports) : caddyConfig(ports);
  await run(name, { folder, config, port: ports.public });
}

export async function startCaddy(sites: string, port: number): Promise<void> {
  await run("caddy", { folder: scratchDirectory(), config: withOptions(sites), port });
}

async function run(
  name: ProxyName,
  { folder, config, port }: { folder: string; config: string; port: number },
): Promise<void> {
  const file = join(folder, "config");
  writeFileSync(file, config);
  const args =
    name === "nginx"
      ? ["-p", folder, "-c", file, "-e", "stderr"]
      : ["run", "--config", file, "--adapter", "caddyfile"];
  const child = spawn(programPath(name) ?? name, args, {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  await Promise.race([
    expect.poll(() => answers(port)).toBe(true),
    exited.then(() => Promise.reject(new Error(`${name} ended: ${errors}`))),
  ]);
}

/** One block of the page, with the substitutions that a reader makes. Each must occur in it. */
function block(language: string, changes: readonly [from: RegExp, to: string][]): string {
  let [text = ""] = hostingBlocks(language);
  for (const [from, to] of changes) {
    if (!from.test(text))
      throw new Error(`docs/hosting.md has no ${from} in its ${language} block`);
    text = text.replace(from, () => to);
  }
  return text;
}

function nginxConfig(folder: string, ports: ProxyPorts): string {
  const [certificate, key] = [join(folder, "fullchain.pem"), join(folder, "privkey.pem")];
  const names = "subjectAltName=DNS:bridge.example.org,DNS:mcp.example.org";
  const made = spawnSync(programPath("openssl") ?? "openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-keyout", key, "-out", certificate, "-days", "2"],
    ...["-subj", "/CN=bridge.example.org", "-addext", names],
  ]);
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`);
  const site = block("nginx", [
    [/\b3001(?=;)/, String(ports.link)],
    [/\b3000(?=;)/, String(ports.mcp)],
    [/(?<=listen )443(?= ssl;)/, `127.0.0.1:${ports.public}`],
    [/\/etc\/\S+fullchain\.pem/, certificate],
    [/\/etc\/\S+privkey\.pem/, key],
  ]);
  const spools = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((spool) => {
    mkdirSync(join(folder, spool));
    return `${spool}_temp_path ${join(folder, spool)};`;
  });
  return `daemon off;
pid ${join(folder, "pid")};
events {}
http {
access_log off;
${spools.join("\n")}
${site}}
`;
}

function caddyConfig(ports: ProxyPorts): string {
  const sites = block("caddyfile", [
    [/bridge\.example\.org(?= \{)/, `bridge.example.org:${ports.public}`],
    [/mcp\.example\.org(?= \{)/, `mcp.example.org:${ports.public}`],
    [/127\.0\.0\.1:3001/, `127.0.0.1:${ports.link}`],
    [/127\.0\.0\.1:3000/, `127.0.0.1:${ports.mcp}`],
  ]);
  return withOptions(sites);
}

function withOptions(sites: string): string {
  return `{
    local_certs
    skip_install_trust
    admin off
    auto_https disable_redirects
    default_bind 127.0.0.1
}
${sites}`;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
