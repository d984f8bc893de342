import { type HostFolders, tools } from "../src/index.js";

/** A folder of the host with one file. */
export const hostFolders: HostFolders = {
  names: ["scripts"],
  open: () => ({
    list: async () => ({ exists: true, files: [{ path: "a.lua", size: 1 }], skipped: [] }),
    read: async () => new Uint8Array([65]),
    write: async () => {},
    remove: async () => {},
  }),
};

/** Allows everything on Minecraft servers. */
export const servers = {
  tools: new Set(tools.map(({ name }) => name)),
  checkCommand: () => undefined,
  hint: "",
};
