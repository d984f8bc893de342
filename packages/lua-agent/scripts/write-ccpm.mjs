// Writes both package indexes into a folder: pnpm --filter @ccbridge/lua-agent ccpm <dir> [base-url]
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ccpmFiles, programVersion } from "../dist/index.js";

const [target, baseUrl = "http://localhost:3001/ccpm"] = process.argv.slice(2);
if (target === undefined) {
  process.stderr.write("usage: ccpm <dir> [base-url]\n");
  process.exit(2);
}
// pnpm runs this in the package's folder; the caller's folder is in INIT_CWD.
const root = resolve(process.env.INIT_CWD ?? process.cwd(), target);

const published = await readFile(join(root, "index.json"), "utf8").catch(() => undefined);
const earlierVersions = published
  ? (JSON.parse(published).packages?.["mcp-computer"]?.versions ?? [])
  : [];
const files = ccpmFiles({ baseUrl, earlierVersions });

for (const [path, { body }] of files) {
  const file = join(root, path);
  const before = await readFile(file, "utf8").catch(() => undefined);
  if (path.includes(`/${programVersion}`) && before !== undefined && before !== body) {
    process.stderr.write(`${path} is published already and differs: raise the version first\n`);
    process.exit(1);
  }
}
for (const [path, { body }] of files) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, body);
}
process.stdout.write(`mcp-computer ${programVersion}: ${files.size} files in ${root}\n`);
