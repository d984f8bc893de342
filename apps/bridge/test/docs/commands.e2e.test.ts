// The commands of the documentation, typed word by word on a separate machine, from a fresh clone.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { gameConfig } from "../cli/game-config.js";
import { hostingBlocks } from "../helpers/real-proxy.js";
import { obstacle, Terminal, TypedPage } from "./terminal.js";

const SLOW = 600_000;
const STARTED = /Press Ctrl\+C to stop/;

const hasNats = spawnSync("nats-server", ["--version"]).status === 0;

/** "On these pages `ccbridge` stands for the command that starts the program: `node start` in a clone." */
const ccbridge = 'ccbridge() { node ~/ccbridge/start "$@"; }';

function makeWorld(folder: string): string {
  const path = join(folder, "world/serverconfig/computercraft-server.toml");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, gameConfig());
  return path;
}

/** Says yes, unless everything is allowed already. */
async function allow(window: Terminal, line: string): Promise<void> {
  const shown = await window.start(line, /\[Y\/n\]|ready \d+ > $/);
  if (!shown.includes("[Y/n]")) return expect(shown).toContain("allows it already");
  window.press("y\n");
  await window.until(/Changed \d+ files?[\s\S]*ready 0 > $/);
}

async function startAndStop(window: Terminal, line: string): Promise<string> {
  const report = await window.start(line, STARTED);
  await window.stop();
  return report;
}

const missing = obstacle();
const note = missing === undefined ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(`on a separate machine${note}`, () => {
  it(
    "README, install, security and the home part of hosting, by a player",
    async () => {
      const readme = new TypedPage("README.md");
      const window = await Terminal.open();
      await window.type(readme.line("git clone https://github.com/ccbridge/ccbridge"));
      await window.type(readme.line("cd ccbridge"));
      const report = await window.start(readme.line("node start"), STARTED);
      expect(report).toContain("Installing what ccbridge needs");
      expect(report).toContain("wget run http://");
      expect(report).not.toMatch(/warn|ELIFECYCLE/i);
      const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(report) ?? [];

      const second = await window.another();
      await second.type("cd ccbridge");
      expect(await second.type(`curl -s ${url}health`)).toContain('"ok":true');
      const world = makeWorld(join(window.home, ".minecraft/saves/base"));
      await allow(second, readme.line("node start allow"));
      expect(readFileSync(world, "utf8")).toContain("port = 3001");
      const elsewhere = makeWorld(window.path("srv/minecraft"));
      const named = readme.line("node start allow <folder>");
      await allow(second, named.replace("<folder>", "/srv/minecraft"));
      expect(readFileSync(elsewhere, "utf8")).toContain("port = 3001");
      expect(await second.type("node start doctor")).toContain("3001");
      const claude = readme.line(
        "claude mcp add --scope user --transport http ccbridge http://127.0.0.1:3000/mcp",
      );
      const codex = readme.line("codex mcp add ccbridge --url http://127.0.0.1:3000/mcp");
      expect(await second.type("node start --print-client-config claude-code")).toContain(claude);
      // Clients of others are not here to type to: the bridge prints what they get.
      expect(codex).toContain("ccbridge --url http://127.0.0.1:3000/mcp");
      expect(await second.type("node start --print-client-config codex")).toContain(
        'url = "http://127.0.0.1:3000/mcp"',
      );
      await window.stop();

      await allow(window, "node start allow --remove");
      expect(readFileSync(world, "utf8")).toBe(gameConfig());
      await startAndStop(window, readme.line("node start --demo")).then((demo) =>
        expect(demo).toContain(texts.aBaseOfComputers),
      );
      expect(readme.left).toEqual([]);

      const security = new TypedPage("docs/security.md");
      await window.type(ccbridge);
      await window.type(security.line("ccbridge token add --name owner"));
      const added = await window.type(
        security.line("ccbridge token add --name alice --mode look --until 2027-01-31"),
      );
      const [, token = ""] = /Bearer ([\w-]{20,})/.exec(added) ?? [];
      const listed = await window.type(security.line("ccbridge token list"));
      expect(listed).toContain("alice");
      expect(listed).not.toContain(token);
      const again = await window.type(security.line("ccbridge token rotate alice"));
      const [, rotated = ""] = /Bearer ([\w-]{20,})/.exec(again) ?? [];
      expect(again).not.toContain(token);
      expect(security.left).toEqual(["ccbridge token remove alice"]);

      const install = new TypedPage("docs/install.md");
      expect(await window.type(install.line("ccbridge --print-client-config vscode"))).toContain(
        '"servers"',
      );
      const limited = install.line("ccbridge --print-client-config codex --mode look");
      expect(await window.type(limited)).toContain(`Bearer ${rotated}`);
      expect(
        await window.type(install.line("ccbridge --print-client-config zed --name alice")),
      ).toContain("context_servers");
      await window.type(security.line("ccbridge token remove alice"));
      await startAndStop(window, install.line("node apps/ccbridge/bin/ccbridge.js"));
      expect(install.left).toEqual([]);

      const hosting = new TypedPage("docs/hosting.md");
      await startAndStop(window, hosting.line("ccbridge --cc-link-host 127.0.0.1"));
      await allow(window, hosting.line("ccbridge allow --cc-link-host 127.0.0.1"));
      await allow(window, hosting.line("ccbridge allow /srv/minecraft --address 192.168.1.20"));
      expect(readFileSync(elsewhere, "utf8")).toContain('host = "192.168.1.20"');
      await window.type(hosting.line("(umask 077; node -p 'crypto.randomUUID()' > link-tokens)"));
      await startAndStop(window, hosting.line("ccbridge --cc-link-tokens-file link-tokens"));
      await startAndStop(
        window,
        hosting.line(
          "ccbridge --cc-link-host 127.0.0.1 --cc-trusted-proxies 127.0.0.1 --cc-link-tokens-file link-tokens",
        ),
      );
      await window.type(
        hosting.line(
          "(umask 077; for side in link mcp; do node -p 'crypto.randomUUID()' > $side-tokens; done)",
        ),
      );
      const behind = await startAndStop(
        window,
        hosting.line(
          "ccbridge --cc-link-host 127.0.0.1 --cc-trusted-proxies 127.0.0.1 --cc-link-public-url https://bridge.example.org --mcp-public-url https://mcp.example.org --cc-link-tokens-file link-tokens --mcp-tokens-file mcp-tokens",
        ),
      );
      expect(behind).toContain(texts.wgetRunHttpsBridgeExample);
      expect(existsSync(join(window.home, "ccbridge/link-tokens"))).toBe(true);
    },
    SLOW,
  );

  it(
    "the service of hosting, with backup and upgrade, by an admin",
    async () => {
      const hosting = new TypedPage("docs/hosting.md");
      const window = await Terminal.open();
      const type = (line: string) => window.type(hosting.line(line));
      await type("sudo useradd --system --create-home --home-dir /var/lib/ccbridge ccbridge");
      await type("sudo git clone https://github.com/ccbridge/ccbridge /opt/ccbridge");
      await type(
        "cd /opt/ccbridge && sudo npx -y pnpm@10.34.9 install && sudo npx -y pnpm@10.34.9 build",
      );
      await type("sudo install -d -m 750 -o root -g ccbridge /etc/ccbridge");
      await type("node -p 'crypto.randomUUID()' | sudo tee /etc/ccbridge/link-tokens");
      await type(
        "sudo chown root:ccbridge /etc/ccbridge/link-tokens && sudo chmod 640 /etc/ccbridge/link-tokens",
      );
      const added = await type(
        "sudo -u ccbridge -H node apps/ccbridge/bin/ccbridge.js token add --name owner",
      );
      const [, token = ""] = /Bearer ([\w-]{20,})/.exec(added) ?? [];
      expect(token, added).not.toBe("");
      const [unit = ""] = hostingBlocks("ini");
      const place = window.path("etc/systemd/system");
      mkdirSync(place, { recursive: true });
      // As its reader does where Node is elsewhere.
      const own = unit.replace("/usr/bin/node", process.execPath);
      writeFileSync(join(place, "ccbridge.service"), own);
      await type("sudo systemctl enable --now ccbridge");
      const started = await window.start(
        hosting.line("journalctl -u ccbridge -f"),
        /"bridge started"|cannot start/,
      );
      expect(started).toContain('"bridge started"');
      expect(started).not.toContain('"level":40');
      await window.stop();
      const list = `curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer ${token}' -H 'Accept: application/json, text/event-stream' -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}' http://127.0.0.1:3000/mcp`;
      expect(await window.type(list)).toMatch(/^200ready/m);
      expect(await window.type(list.replace(token, "wrong-token"))).toMatch(/^401ready/m);

      await type("sudo systemctl stop ccbridge");
      await type("sudo tar -czf ccbridge-backup.tar.gz /var/lib/ccbridge/.ccbridge /etc/ccbridge");
      await type("sudo systemctl start ccbridge");
      const kept = await window.type("tar -tzf ccbridge-backup.tar.gz");
      for (const name of ["mcp-tokens", "history.db", "link-tokens"]) expect(kept).toContain(name);
      // Everything is lost, and restored.
      await window.type("sudo systemctl stop ccbridge");
      await window.type("sudo rm -r /var/lib/ccbridge/.ccbridge /etc/ccbridge");
      await window.type("sudo tar -xzpf ccbridge-backup.tar.gz -C /");
      await window.type("sudo systemctl start ccbridge");
      const answers = "until curl -sf http://127.0.0.1:3000/health; do sleep 0.2; done";
      expect(await window.type(answers)).toContain('"ok":true');
      expect(await window.type(list)).toMatch(/^200ready/m);
      await type("cd /opt/ccbridge && sudo git pull");
      await type("sudo npx -y pnpm@10.34.9 install && sudo npx -y pnpm@10.34.9 build");
      await type("sudo systemctl restart ccbridge");
      expect(await window.type(answers)).toContain('"ok":true');
      await window.type("systemctl stop");
    },
    SLOW,
  );

  it(
    "CONTRIBUTING, the examples and clusters, by a developer",
    async () => {
      const contributing = new TypedPage("CONTRIBUTING.md");
      const window = await Terminal.open();
      await window.type(contributing.line("git clone https://github.com/ccbridge/ccbridge"));
      await window.type(contributing.line("cd ccbridge"));
      await window.type(contributing.line("npx -y pnpm@10.34.9 install"));
      const dev = contributing.line("npx -y pnpm@10.34.9 dev");
      await window.start(dev, /hot reload: http:\/\/127\.0\.0\.1:5173/);
      const second = await window.another();
      await second.type("cd ccbridge");
      const page = "until curl -sf http://127.0.0.1:5173/; do sleep 0.2; done";
      expect(await second.type(page)).toContain("/src/main.tsx");
      const demo = "until curl -sf http://127.0.0.1:3000/health; do sleep 0.2; done";
      expect(await second.type(demo)).toContain('"computers":');
      // Another one finds its port in use, says so and ends.
      await second.start(dev, /Port 5173 is already in use[\s\S]*ready [1-9]\d* > $/);
      await second.type("touch README.md && echo '// edited' >> apps/bridge/src/version.ts");
      await window.until(/version\.ts changed: building[\s\S]*a demo/);
      expect(await second.type(demo)).toContain('"ok":true');
      await window.stop();

      const kind = new TypedPage("examples/kind/README.md");
      await window.type(kind.line("npx -y pnpm@10.34.9 build"));
      const example = kind.line("npx -y pnpm@10.34.9 --filter @ccbridge/example-kind start");
      await window.start(example, /MCP clients connect to http:\/\/127\.0\.0\.1:3000\/mcp/);
      expect(await second.type(demo)).toContain('"ok":true');
      await window.stop();

      const pages = new TypedPage("docs/pages.md");
      await second.start(pages.line("npx -y pnpm@10.34.9 example:page"), /127\.0\.0\.1:8080/);
      await startAndStop(window, pages.line("node start --pages http://127.0.0.1:8080"));
      const two = "node start --pages http://127.0.0.1:8080,http://localhost:5173";
      await startAndStop(window, two);
      await startAndStop(window, "node start --pages http://localhost:5173");
      await second.stop();
      const extension = new TypedPage("examples/webmcp-extension/README.md");
      await window.type(extension.line("npx -y pnpm@10.34.9 example:webmcp-extension"));
      await startAndStop(
        window,
        extension.line("CC_PAGES_TOKENS=choose-a-long-token npx -y pnpm@10.34.9 start"),
      );

      if (!hasNats) return;
      const three = "npx -y pnpm@10.34.9 --filter @ccbridge/example-cluster start";
      const exampleCluster = new TypedPage("examples/cluster/README.md");
      await window.start(exampleCluster.line(three), /A cluster of three bridges/);
      // "Kill one of the bridges: its computers link to the others."
      await second.type(
        "kill -9 $(ss -ltnpH 'sport = :3100' | grep -o 'pid=[0-9]*' | cut -d= -f2 | head -1)",
      );
      await window.until(/The bridge one ended/);
      expect(await second.type("curl -s http://127.0.0.1:3110/health")).toContain('"ok":true');
      await window.stop();
      const cluster = new TypedPage("docs/cluster.md");
      const third = await window.another();
      await third.type("cd ccbridge");
      await second.start(cluster.line("nats-server -js -sd /var/lib/nats"), /Server is ready/);
      await window.start(cluster.line("CC_CLUSTER=nats://127.0.0.1:4222 node start"), STARTED);
      const other =
        "CC_CLUSTER=nats://127.0.0.1:4222 MCP_PORT=3010 CC_LINK_PORT=3011 CC_PAGES_PORT=0 node start";
      await startAndStop(third, cluster.line(other));
      await window.stop();
      await second.stop();
      expect(cluster.left).toEqual([]);
    },
    SLOW,
  );
});
