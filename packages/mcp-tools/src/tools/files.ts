import { copyFile, deleteFile, editFile, moveFile, writeFile } from "./files/change.js";
import { listFiles, readFile, searchFiles } from "./files/look.js";

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
] as const;
