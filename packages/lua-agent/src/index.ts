export { type CcpmBridge, type CcpmFile, type CcpmOptions, ccpmFiles } from "./ccpm.js";
export type {
  CcpmRegistryIndex,
  CcpmRegistryVersion,
  TrapOsIndex,
  TrapOsPackage,
} from "./ccpm-formats.js";
export { type InstallerOptions, installer } from "./installer.js";
export { programSha256, programText, programVersion } from "./program.js";
