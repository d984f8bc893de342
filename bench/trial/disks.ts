import { readdirSync, readFileSync } from "node:fs";

/** The files of a computer's disk, by its label. */
export function disksIn(folder: string): (label: string) => Record<string, Buffer> {
  return (label) => {
    const files: Record<string, Buffer> = {};
    const root = `${folder}${label}`;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/");
      if (entry.isFile() && path.startsWith(`${root}/`)) {
        files[path.slice(root.length)] = readFileSync(path);
      }
    }
    return files;
  };
}
