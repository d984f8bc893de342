import { copyFile, deleteFile, editFile, moveFile, writeFile } from "./files/change.js";
import { listFiles, readFile } from "./files/look.js";
import { searchFiles } from "./files/search.js";
import { syncFolder } from "./files/sync.js";

/** Files on a computer's disk. */
export const filesTools = [
  listFiles,
  readFile,
  writeFile,
  editFile,
  deleteFile,
  moveFile,
  copyFile,
  searchFiles,
  syncFolder,
] as const;
