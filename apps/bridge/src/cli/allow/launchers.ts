import type { Machine } from "../context.js";

/**
 * Folders where Minecraft and its launchers keep worlds on this system, and where servers are
 * commonly installed. Most of them will not exist.
 */
export function usualFolders(machine: Machine): string[] {
  const { platform, path } = machine;
  const places =
    platform === "win32"
      ? windowsFolders(machine)
      : platform === "darwin"
        ? macFolders(machine)
        : linuxFolders(machine);
  return [...new Set(places.map((parts) => path.join(...parts)))];
}

type Place = [base: string, ...parts: string[]];

/** Launchers with the same layout in the data folder of each system. */
function dataFolderLaunchers(data: string): Place[] {
  return [
    [data, "PrismLauncher", "instances"],
    [data, "PolyMC", "instances"],
    [data, "ModrinthApp", "profiles"],
    [data, "com.modrinth.theseus", "profiles"],
    [data, "ATLauncher", "instances"],
    [data, "ATLauncher", "servers"],
    [data, "gdlauncher_carbon", "data", "instances"],
    [data, "gdlauncher_next", "instances"],
  ];
}

function homeServers(home: string): Place[] {
  return [
    [home, "minecraft"],
    [home, "minecraft-server"],
    [home, "server"],
    [home, "servers"],
  ];
}

function windowsFolders({ home, env, path }: Machine): Place[] {
  const roaming = env.APPDATA || path.join(home, "AppData", "Roaming");
  const local = env.LOCALAPPDATA || path.join(home, "AppData", "Local");
  // MultiMC has no installer: it is wherever it was unpacked.
  const multiMc = [
    [home],
    [home, "Desktop"],
    [home, "Downloads"],
    [home, "Documents"],
    ["C:\\"],
    [env.ProgramFiles || "C:\\Program Files"],
  ].map(([base = "", ...parts]): Place => [base, ...parts, "MultiMC", "instances"]);
  return [
    [roaming, ".minecraft"],
    ...dataFolderLaunchers(roaming),
    ...multiMc,
    [home, "curseforge", "minecraft", "Instances"],
    [home, "Documents", "Curse", "Minecraft", "Instances"],
    [roaming, ".technic", "modpacks"],
    [local, ".ftba", "instances"],
    ...homeServers(home),
    [home, "Desktop", "server"],
    [home, "Desktop", "minecraft-server"],
  ];
}

function macFolders({ home, path }: Machine): Place[] {
  const support = path.join(home, "Library", "Application Support");
  return [
    [support, "minecraft"],
    ...dataFolderLaunchers(support),
    ["/Applications", "MultiMC.app", "Data", "instances"],
    ["/Applications", "ATLauncher.app", "Contents", "Java", "instances"],
    [support, "multimc", "instances"],
    [home, "Documents", "curseforge", "minecraft", "Instances"],
    [support, "technic", "modpacks"],
    [support, ".ftba", "instances"],
    ...homeServers(home),
  ];
}

function linuxFolders({ home, env, path }: Machine): Place[] {
  const data = env.XDG_DATA_HOME || path.join(home, ".local", "share");
  const config = env.XDG_CONFIG_HOME || path.join(home, ".config");
  const flatpak = path.join(home, ".var", "app");
  return [
    [home, ".minecraft"],
    [flatpak, "com.mojang.Minecraft", ".minecraft"],
    ...dataFolderLaunchers(data),
    [flatpak, "org.prismlauncher.PrismLauncher", "data", "PrismLauncher", "instances"],
    [flatpak, "com.modrinth.ModrinthApp", "data", "ModrinthApp", "profiles"],
    [flatpak, "com.atlauncher.ATLauncher", "data", "instances"],
    [data, "multimc", "instances"],
    [data, "atlauncher", "instances"],
    [home, "ATLauncher", "instances"],
    [home, "curseforge", "minecraft", "Instances"],
    [home, "Documents", "curseforge", "minecraft", "Instances"],
    [config, "gdlauncher_next", "instances"],
    [home, ".technic", "modpacks"],
    [home, ".ftba", "instances"],
    ...homeServers(home),
    ["/opt", "minecraft"],
    ["/srv", "minecraft"],
    ["/var", "lib", "minecraft"],
    ["/home", "minecraft"],
  ];
}
