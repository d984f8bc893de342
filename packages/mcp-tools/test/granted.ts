import { type HostFolders, tools } from "../src/index.js";

export const hostFolders: HostFolders = {
  names: ["scripts"],
  open: () => ({
    list: async () => ({ exists: true, files: [{ path: "a.lua", size: 1 }], skipped: [] }),
    read: async () => new Uint8Array([65]),
    write: async () => {},
    remove: async () => {},
  }),
};

export const servers = {
  tools: new Set(tools.map(({ name }) => name)),
  checkCommand: () => undefined,
  hint: "",
};
