import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerTo } from "./commands.js";
import { FakeLog, type Layout } from "./log.js";
import { FakeRcon } from "./rcon.js";
import { FakeGamePort } from "./status.js";
import { type FakePlayer, FakeWorld } from "./world.js";

export class FakeServer {
  readonly folder: string;
  readonly world = new FakeWorld();
  readonly rcon = new FakeRcon((command) => answerTo(this.world, command));
  readonly log: FakeLog;
  readonly game = new FakeGamePort(() =>
    JSON.stringify({
      version: { name: this.world.version.name, protocol: 773 },
      players: { online: this.world.players.length, max: this.world.maxPlayers },
    }),
  );

  private constructor(layout: Layout) {
    this.folder = mkdtempSync(join(tmpdir(), "ccbridge-minecraft-"));
    this.log = new FakeLog(join(this.folder, "logs", "latest.log"), layout);
  }

  static async start(layout: Layout = "vanilla"): Promise<FakeServer> {
    const server = new FakeServer(layout);
    server.world.isBukkit = layout === "paper";
    if (layout === "paper") writeFileSync(join(server.folder, "bukkit.yml"), "");
    await server.rcon.listen();
    await server.game.listen();
    server.writeProperties();
    return server;
  }

  writeProperties(more: Record<string, string | number> = {}): void {
    const properties = {
      "server-port": this.game.port,
      "enable-rcon": "true",
      "rcon.port": this.rcon.port,
      "rcon.password": this.rcon.password,
      ...more,
    };
    const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(
      join(this.folder, "server.properties"),
      `#Minecraft server properties\n${lines.join("")}`,
    );
  }

  join(name: string, more: Partial<FakePlayer> = {}): FakePlayer {
    const player = this.world.addPlayer(name, more);
    this.log.say(`UUID of player ${name} is ${player.uuid}`, "User Authenticator #1");
    this.log.say(`${name}[/127.0.0.1:5] logged in with entity id 3 at (0.5, 64.0, 0.5)`);
    this.log.say(`${name} joined the game`);
    return player;
  }

  quit(name: string): void {
    this.world.removePlayer(name);
    this.log.say(`${name} lost connection: Disconnected`);
    this.log.say(`${name} left the game`);
  }

  async stop(): Promise<void> {
    await Promise.all([this.rcon.close(), this.game.close()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
