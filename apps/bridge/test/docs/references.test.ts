import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  annotationsOf,
  slimTools,
  type Tool,
  toolGroupNames,
  toolGroups,
} from "@ccbridge/mcp-tools";
import { toolNames } from "@ccbridge/protocol/minecraft";
import { registryDefaults } from "@ccbridge/registry";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { computerSettings } from "../../src/config/computer-settings.js";
import { fixedLimits, registryLimitNotes } from "../../src/config/limits.js";
import { mcpSettings } from "../../src/config/mcp-settings.js";
import type { Setting } from "../../src/config/setting.js";
import { flagOf, settings } from "../../src/config/settings.js";
import { toolSettings } from "../../src/config/tool-settings.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { withSection } from "../helpers/generated.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkExampleServer } from "../server/example-server.js";
import { startServerBridge } from "../server/helpers.js";
import { exampleFolder, examples, exampleTurtle, furnish } from "./examples.js";

const path = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));

const cell = (text: string) => text.replaceAll("|", "\\|");

function settingsTable(): string {
  const rows = Object.values(settings).map(({ env, default: fallback, description }) => {
    const shown = String(fallback) === "" ? "" : `\`${fallback}\``;
    return `| \`${env}\` | \`--${flagOf(env)}\` | ${shown} | ${cell(description)} |`;
  });
  return ["| environment | flag | default | what it does |", "|---|---|---|---|", ...rows].join(
    "\n",
  );
}

type LimitRow = [what: string, bound: string, setting: string, atLimit: string];

const bound = (value: unknown, unit: string) =>
  unit === "count" ? `${value}` : `${value} ${unit}`;

const settingRows = (table: Record<string, Setting<unknown>>): LimitRow[] =>
  Object.values(table).flatMap(({ env, value, default: fallback, description, atLimit }) =>
    atLimit === undefined ? [] : [[description, bound(fallback, value), `\`${env}\``, atLimit]],
  );

const fixedRows = (wanted: string): LimitRow[] =>
  Object.values(fixedLimits).flatMap(({ side, value, unit, what, atLimit }) =>
    side === wanted ? [[what, bound(value, unit), "fixed", atLimit]] : [],
  );

const registryRows = (): LimitRow[] =>
  Object.entries(registryLimitNotes).map(([name, { what, atLimit }]) => [
    what,
    String(registryDefaults[name as keyof typeof registryLimitNotes]),
    "fixed",
    atLimit,
  ]);

function limitsTable(rows: LimitRow[]): string {
  const lines = rows.map((row) => `| ${row.map(cell).join(" | ")} |`);
  return ["| what | bound | setting | at the bound |", "|---|---|---|---|", ...lines].join("\n");
}

async function groupsTable(): Promise<string> {
  const rows = ["| `CC_TOOLS` | tools | bytes of the tool list |", "|---|---|---|"];
  for (const choice of ["all", "slim", ...toolGroupNames] as const) {
    const bridge = await startTestBridge({ tools: [choice], structured: false });
    const client = await connectClient(bridge.mcpUrl);
    // Titles and hints are for directories: no model reads them.
    const listed = (await client.listTools()).tools.map(
      ({ title: _, annotations: __, ...tool }) => tool,
    );
    const own = choice === "all" ? [] : choice === "slim" ? slimTools : toolGroups[choice];
    const names =
      choice === "all" ? "all of them" : own.map(({ name }) => `\`${name}\``).join(", ");
    rows.push(`| \`${choice}\` | ${names} | ${Buffer.byteLength(JSON.stringify(listed))} |`);
  }
  return rows.join("\n");
}

function argumentsTable(tool: Tool): string {
  const fields = Object.entries(tool.input.shape as Record<string, z.ZodType>);
  if (fields.length === 0) return "No arguments.";
  const schema = z.toJSONSchema(tool.input, { io: "input" });
  const rows = fields.map(([name, field]) => {
    const need = schema.required?.includes(name) ? "yes" : "no";
    return `| \`${name}\` | ${typeName(schema.properties?.[name])} | ${need} | ${cell(field.description ?? "")} |`;
  });
  return ["| argument | type | required | |", "|---|---|---|---|", ...rows].join("\n");
}

function typeName(property: unknown): string {
  const { type, anyOf = [] } = (property ?? {}) as { type?: string; anyOf?: unknown[] };
  return type ?? ([...new Set(anyOf.map(typeName))].join(" or ") || "any");
}

function stable(text: string, jobs: string[]): string {
  let result = text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T00:00:00.000Z")
    .replace(/"instance": "[^"]+"/g, '"instance": "9f3c2a71"')
    .replace(/instance [^;]+;/g, "instance 9f3c2a71;")
    .replace(/"freeSpace": \d+/g, '"freeSpace": 880000')
    .replace(/\d+ of 1000000 bytes free/g, "880000 of 1000000 bytes free")
    .replace(/after [\d.]+ s\b/g, "after 3.2 s")
    .replace(/"seconds": [\d.]+/g, '"seconds": 3.2')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "2026-01-01 00:00:00")
    .replace(/(from|to) \d\d:\d\d:\d\d/g, "$1 00:00:00")
    .replace(/(Created: |"remove":"|"id": ")[0-9a-f]{8}/g, "$11a2b3c4d")
    .replace(/UTC[+-][\d:]+/g, "UTC+00:00")
    // Ids of changes.
    .replace(/\b[m-z][0-9a-z]{7}-\d+\b/g, "mhgk3y5a-1")
    .replace(/trace [0-9a-f]{18}-\d+/g, "trace 1b63c66e93eb0a4f70")
    .replace(/"trace": "[^"]+"/g, '"trace": "1b63c66e93eb0a4f70"')
    .replace(/"durationMs": \d+/g, '"durationMs": 12');
  for (const [index, job] of jobs.entries()) result = result.replaceAll(job, `k3x9qd-${index + 1}`);
  return result;
}

function exampleHostFolder(): string {
  const root = scratchDirectory();
  for (const [name, content] of Object.entries(exampleFolder)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

async function toolReference(): Promise<string> {
  const bridge = await startServerBridge({
    history: "on",
    historyFile: join(scratchDirectory(), "history.db"),
    syncFolders: [`scripts=${exampleHostFolder()}`],
    minecraftTools: [...toolNames],
    minecraftCommands: "^time set \\w+$;;^weather clear$",
  });
  await linkExampleServer(bridge);
  const world = await startWorld();
  furnish(await linkGameComputer(bridge, world, { kind: "turtle", ...exampleTurtle }));
  await vi.waitFor(() => expect(bridge.registry.offered.all().size).toBe(1));
  const client = await connectClient(bridge.mcpUrl);
  const parts = [
    "# Tools",
    "",
    "Made from the tools themselves with `pnpm write-docs`; each example is a real call to a turtle of",
    "the test host or to a pretended Minecraft server, in this order.",
    "",
    "Text from the game is behind a bar (`| like this`), in double quotes, or a single word, so that it cannot imitate",
    "a tool: see [security](security.md#text-from-the-game).",
    "",
  ];
  for (const [group, members] of Object.entries(toolGroups)) {
    parts.push(`## Group \`${group}\``, "");
    for (const tool of members as readonly Tool[]) {
      const example = examples[tool.name];
      if (example === undefined) throw new Error(`${tool.name} needs an example`);
      const jobs = () => bridge.registry.jobs.list().map(({ id }) => id);
      const jobOf = (method: unknown) =>
        bridge.registry.jobs.list().find((job) => method === "" || job.method === method)?.id;
      const args = "jobId" in example ? { ...example, jobId: jobOf(example.jobId) } : example;
      const { text, structuredContent } = await callTool(client, tool.name, args);
      parts.push(
        `### ${tool.name}`,
        "",
        `${tool.description}${annotationsOf(tool).readOnlyHint ? " Read-only." : ""}`,
        "",
        argumentsTable(tool),
        "",
        `Example: \`${stable(JSON.stringify(args), jobs())}\``,
        "",
        "```text",
        stable(text, jobs()),
        "```",
        "",
      );
      if (structuredContent !== undefined) {
        const json = JSON.stringify(structuredContent, null, 2);
        parts.push("```json", stable(json, jobs()), "```", "");
      }
    }
  }
  return parts.join("\n");
}

describe("the references", () => {
  it("docs/configuration.md lists every setting and every group of tools", async () => {
    let document = readFileSync(path("docs/configuration.md"), "utf8");
    document = withSection(document, "settings", settingsTable());
    document = withSection(document, "groups", await groupsTable());
    await expect(document).toMatchFileSnapshot(path("docs/configuration.md"));
  });

  it("docs/limits.md lists every bound", async () => {
    let document = readFileSync(path("docs/limits.md"), "utf8");
    const tables = {
      "limits-mcp": [...settingRows(mcpSettings), ...fixedRows("mcp")],
      "limits-computers": [
        ...settingRows(computerSettings),
        ...fixedRows("computers"),
        ...registryRows(),
      ],
      "limits-tools": settingRows(toolSettings),
      "limits-both": fixedRows("both"),
    };
    for (const [name, rows] of Object.entries(tables)) {
      document = withSection(document, name, limitsTable(rows));
    }
    await expect(document).toMatchFileSnapshot(path("docs/limits.md"));
  });

  it("README.md is short", () => {
    expect(readFileSync(path("README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(171);
  });

  it("docs/tools.md describes every tool with a real call", async () => {
    await expect(await toolReference()).toMatchFileSnapshot(path("docs/tools.md"));
  });
});
