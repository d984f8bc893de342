import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Instruction {
  name: string;
  flags: Record<string, string>;
  words: string[];
  text: string;
}

/** Enough of the format for our own file: continued lines, comments, flags, and words as JSON or as text. */
export function parseDockerfile(source: string): Instruction[] {
  const joined = source.replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "");
  return joined
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      const flags: Record<string, string> = {};
      const text = rest.replaceAll(/(?<=^|\s)--([a-z-]+)=(\S+)\s+/g, (_, flag, value) => {
        flags[flag] = value;
        return "";
      });
      const json = /^(?:CMD )?(\[.*\])$/.exec(text)?.[1];
      const words = json === undefined ? text.split(/\s+/) : (JSON.parse(json) as string[]);
      return { name, flags, words, text };
    });
}

export interface Image {
  /** The plain folder that stands for the root of its file system. */
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  entrypoint: string[];
  healthcheck: string[];
}

/** Runs the steps of a Dockerfile in plain folders below `scratch`, one for each stage. Returns the last stage. */
export async function runSteps(
  instructions: Instruction[],
  context: string,
  scratch: string,
): Promise<Image> {
  const stages: { name: string; image: Image }[] = [];
  for (const { name, flags, words, text } of instructions) {
    const image = stages.at(-1)?.image as Image;
    const inside = (path: string, of = image) =>
      path.startsWith("/") ? join(of.root, path) : join(of.root, of.workdir, path);
    switch (name) {
      case "FROM":
        stages.push({ name: words[2] ?? "", image: emptyImage(join(scratch, `${stages.length}`)) });
        break;
      case "WORKDIR":
        image.workdir = text;
        mkdirSync(inside(text), { recursive: true });
        break;
      case "COPY": {
        const [from = "", to = ""] = words;
        const source = stages.find((stage) => stage.name === flags.from)?.image;
        if (source === undefined) copyContext(context, inside(to));
        else cpSync(inside(from, source), inside(to), { recursive: true, verbatimSymlinks: true });
        break;
      }
      case "RUN": {
        // The folder is not the root of a file system.
        if (/\s\/\w/.test(text)) throw new Error(`a step uses an absolute path: ${text}`);
        const env = { ...process.env, CI: "1", ...image.env };
        await promisify(execFile)("sh", ["-ec", text], {
          cwd: inside("."),
          env,
          maxBuffer: 100_000_000,
        });
        break;
      }
      case "ENV":
        for (const word of words) {
          const [key = "", value = ""] = word.split("=");
          image.env[key] = value;
        }
        break;
      case "USER":
        image.user = text;
        break;
      case "ENTRYPOINT":
        image.entrypoint = words;
        break;
      case "HEALTHCHECK":
        image.healthcheck = words;
        break;
      case "LABEL":
      case "VOLUME":
      case "EXPOSE":
        break;
      default:
        throw new Error(`the test does not know ${name}`);
    }
  }
  return stages.at(-1)?.image as Image;
}

function emptyImage(root: string): Image {
  mkdirSync(root, { recursive: true });
  return { root, workdir: "/", env: {}, user: "root", entrypoint: [], healthcheck: [] };
}

/** What .dockerignore leaves: a test checks that it leaves out what git ignores. */
function copyContext(context: string, target: string): void {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: context,
    encoding: "utf8",
  });
  const ignored = ignoredFolders(join(context, ".dockerignore"));
  for (const path of listed.split("\0")) {
    if (path === "" || ignored.some((folder) => path.startsWith(folder))) continue;
    cpSync(join(context, path), join(target, path), { recursive: true, force: true });
  }
}

function ignoredFolders(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("/") && !line.startsWith("**/"));
}
