import type { ComputerKind } from "./computer-options.js";
import type { Features } from "./version.js";
import type { HostFunctions } from "./vm/lua-vm.js";
import { romSource } from "./vm/rom.js";

export interface SystemInfo {
  readonly kind: ComputerKind;
  readonly features: Features;
  readonly version: string;
  readonly minecraftVersion: string;
  readonly http: boolean;
  readonly defaultSettings: string;
}

export function systemFunctions(
  info: SystemInfo,
  queueStashed: (name: string, reference: number) => boolean,
): HostFunctions {
  const { features, version, minecraftVersion, ...rest } = info;
  return {
    "sys.source": (name) => romSource(String(name)),
    "sys.info": () => ({
      ...features,
      ...rest,
      host: `ComputerCraft ${version} (Minecraft ${minecraftVersion})`,
      osVersion: "CraftOS 1.9",
    }),
    "sys.queueStashed": (name, reference) => queueStashed(String(name), Number(reference)),
  };
}
