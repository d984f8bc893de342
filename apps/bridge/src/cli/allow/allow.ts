import { constants, copyFile, readFile, stat, writeFile } from "node:fs/promises";
import { despiteLocks } from "../../system.js";
import type { CommandContext } from "../context.js";
import type { BridgeAddress } from "./address-rules.js";
import { ruleText } from "./edit-rules.js";
import { findConfigs } from "./find-configs.js";
import { usualFolders } from "./launchers.js";
import { type Plan, planChange, problemOf, type Refusal } from "./plan.js";

export interface AllowOptions {
  addresses: readonly BridgeAddress[];
  /** Where to search; empty: the usual folders of this machine. */
  folders: readonly string[];
  remove: boolean;
  yes: boolean;
}

/** `ccbridge allow`: lets the computers of this machine's worlds and servers reach the bridge. */
export async function allow(options: AllowOptions, context: CommandContext): Promise<number> {
  const { print, machine } = context;
  const { path } = machine;
  const given = options.folders.map((folder) => path.resolve(machine.cwd, folder));
  const missing = (await Promise.all(given.map(exists))).findIndex((found) => !found);
  if (missing >= 0) {
    print(`There is no folder ${given[missing]}.\n`);
    return 1;
  }
  const { configs, isPartial } = await findConfigs(
    given.length > 0 ? given : usualFolders(machine),
  );
  if (isPartial) {
    print(
      "There are too many folders to search them all: name the folder of one world or server.\n",
    );
  }
  if (configs.length === 0) {
    print(nothingFound(options, context, given));
    return 1;
  }

  const results = await Promise.all(configs.map((config) => planChange(config, options)));
  const plans = results.flatMap((item) => ("edit" in item ? [item] : []));
  const changes = plans.filter(({ edit }) => edit.lines.length > 0);
  print(intro(options));
  for (const item of results) print(describe(item, options));
  const refused = results.length - plans.length;
  if (changes.length === 0) {
    print(refused === results.length ? "" : "There is nothing to do.\n");
    return refused > 0 ? 1 : 0;
  }
  const files = `${changes.length} ${changes.length === 1 ? "file" : "files"}`;
  if (!options.yes && context.confirm === undefined) {
    print(
      `Nothing was changed, because there is no terminal to ask at. Use --yes to change ${files}.\n`,
    );
    return 1;
  }
  if (!options.yes && (await context.confirm?.(`Change ${files}?`)) !== true) {
    print("Nothing was changed.\n");
    return 1;
  }

  const failures: string[] = [];
  for (const plan of changes) {
    const problem = await apply(plan);
    if (problem !== undefined) failures.push(`${plan.path}\n    ${problem}\n`);
  }
  for (const failure of failures) print(`  ${failure}`);
  const done = changes.length - failures.length;
  if (done > 0) print(afterwards(done, options));
  return failures.length + refused > 0 ? 1 : 0;
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

/** Writes in place: owner and permissions stay, and the game notices. Returns the problem, if any. */
async function apply({ path, bytes, edit }: Plan): Promise<string | undefined> {
  const backup = backupOf(path);
  try {
    // The file may have changed while the user was asked.
    if (!(await readFile(path)).equals(bytes)) {
      return "changed meanwhile and was left alone; run this again";
    }
    // The first copy stays: it is the file as it was before any change of ours.
    await copyFile(path, backup, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } catch (error) {
    return `was left alone: ${problemOf(error as Error)}`;
  }
  try {
    await despiteLocks(() => writeFile(path, edit.text), process.platform);
    return undefined;
  } catch (error) {
    const restored = await writeFile(path, bytes).then(
      () => "is as it was",
      () => `may be damaged; its copy is ${backup}`,
    );
    return `could not be written (${problemOf(error as Error)}) and ${restored}`;
  }
}

function backupOf(path: string): string {
  return `${path}.ccbridge-backup`;
}

function intro({ addresses, remove }: AllowOptions): string {
  const names = [...new Set(addresses.map(({ host, port }) => `${host} port ${port}`))].join(", ");
  return remove
    ? "Rules that let computers reach ccbridge, to be removed:\n\n"
    : `Computers in the game must be allowed to reach ccbridge at ${names}:\n\n`;
}

function describe(item: Plan | Refusal, { remove }: AllowOptions): string {
  const scope = item.scope === "new worlds" ? "  (for worlds made from now on)" : "";
  const lines = [`  ${item.path}${scope}`];
  if ("problem" in item) lines.push(`    left alone: ${item.problem}`);
  else if (item.edit.lines.length === 0) {
    lines.push(remove ? "    has no rule of ours" : "    allows it already");
  } else {
    for (const line of item.edit.lines) lines.push(`    ${remove ? "-" : "+"} ${line}`.trimEnd());
  }
  if ("off" in item && !remove) {
    for (const key of item.off) {
      lines.push(
        `    note: http.${key} is false here, so nothing can link. Set it to true and restart the game or server.`,
      );
    }
  }
  return `${lines.join("\n")}\n\n`;
}

function afterwards(done: number, { remove }: AllowOptions): string {
  const files = `${done} ${done === 1 ? "file" : "files"}`;
  const copies = `${done === 1 ? "A copy is" : "Copies are"} beside ${done === 1 ? "it" : "them"}, named .ccbridge-backup.`;
  if (remove) return `Changed ${files}. ${copies} No restart is needed.\n`;
  return (
    `Changed ${files}. ${copies}\n` +
    "No restart is needed: a running game rereads the file within seconds. If a computer still says\n" +
    '"Domain not permitted" after that, close the world, or restart the server, once.\n'
  );
}

function nothingFound(
  { addresses, remove }: AllowOptions,
  { program }: CommandContext,
  given: readonly string[],
): string {
  const where = given.length > 0 ? `below ${given.join(", ")}` : "in the usual places";
  const found = `There is no computercraft-server.toml ${where}.\n`;
  if (remove)
    return `${found}Name the folder of your world or server: ${program} allow <folder> --remove\n`;
  const [address] = addresses;
  const rule = address === undefined ? "" : ruleText(address);
  return `${found}
- The game writes it when a world with CC:Tweaked is opened for the first time.
- If your world or server is elsewhere, name its folder:  ${program} allow <folder>
- If the server runs on another machine, run this there with the address of this one
  (--address ${address?.host ?? "host"}), or put these lines into its <world>/serverconfig/computercraft-server.toml,
  above the rule for $private:

${rule}\n`;
}
