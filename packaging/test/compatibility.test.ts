import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Feature, PROTOCOL_VERSION } from "@ccbridge/protocol";
import { expect, it } from "vitest";
import { withSection } from "../../apps/bridge/test/helpers/generated.js";
import { programText, programVersion } from "../../packages/lua-agent/src/index.js";
import { root } from "../../scripts/package-managers.mjs";
import { version } from "../stamp.mjs";

const without: Record<Feature, string> = {
  cancel: "code that runs cannot be stopped",
  output: "what a job prints is seen only at its end",
  chunk: "a message has at most 127 KiB",
  jobs: "a dropped link ends the job, with the outcome unknown",
  acks: "each answer is acknowledged by itself",
  surrogates: "characters above U+FFFF do not survive CC:Tweaked before 1.109",
  pairing: "a computer that needs approval is approved by its address and label, without a code",
  keys: "the token is in the settings of the computer, where its programs can read it",
};

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

function compatibility(): string {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const parts = table(
    ["part", "of this release", "works with"],
    [
      ["bridge", version, `agents, mods and pages of every release; Node ${engines.node}`],
      [
        "`mcp-computer`",
        `${programVersion}, link protocol ${PROTOCOL_VERSION}`,
        `bridges of every release, from link protocol 1 on; CC:Tweaked 1.100 and newer`,
      ],
      [
        "`ccbridge minecraft-agent`, mods",
        version,
        "bridges of every release; [Minecraft versions](minecraft.md)",
      ],
      ["`@ccbridge/pages`", version, "bridges of every release"],
    ],
  );
  const features = table(
    ["feature of link protocol 2", "without it, or with an agent of protocol 1"],
    Object.values(Feature).map((feature) => [`\`${feature}\``, without[feature]]),
  );
  return `${parts}\n\n${features}`;
}

it("docs/compatibility.md shows what works with what", async () => {
  const file = join(root, "docs/compatibility.md");
  const document = withSection(readFileSync(file, "utf8"), "compatibility", compatibility());
  await expect(document).toMatchFileSnapshot(file);
});

it("the program in the game has the version of the bridge", () => {
  expect(programVersion).toBe(version);
  expect(programText.split("\n")[0]).toContain(`mcp-computer ${version} `);
});
