import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Tool, tools } from "@ccbridge/mcp-tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { flagOf, settings } from "../src/config/settings.js";
import { startTestBridge } from "./helpers/bridge.js";
import { linkComputer } from "./helpers/computer.js";
import { callTool, connectClient } from "./helpers/sdk-client.js";

// The references are made from the schemas. `pnpm write-docs` writes them; here they must not have drifted.
const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/** Puts a generated part between its markers. */
function withSection(document: string, name: string, content: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, "<!-- /generated -->"];
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the markers of ${name} are missing`);
  return `${document.slice(0, from + begin.length)}\n${content}\n${document.slice(to)}`;
}

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

function toolsTable(): string {
  const rows = tools.map(({ name, description, annotations }) => {
    const [first = ""] = description.split(/(?<=[.!]) /);
    return `| \`${name}\` | ${cell(first)} | ${annotations.readOnlyHint ? "looks" : "acts"} |`;
  });
  return ["| tool | what it does | |", "|---|---|---|", ...rows].join("\n");
}

/** The example of a tool; JOB is the id of the job that an earlier example started. */
const examples: Record<string, Record<string, unknown>> = {
  "list-computers": {},
  "probe-computers": {},
  "exec-lua": { computerId: 12, code: 'print("one", 2) write("three") return 4' },
  "get-job": { jobId: "JOB", cursor: 6 },
  "cancel-job": { jobId: "JOB" },
  "list-jobs": { state: "done" },
};

function argumentsTable(tool: Tool): string {
  const fields = Object.entries(tool.input.shape as Record<string, z.ZodType>);
  if (fields.length === 0) return "No arguments.";
  const schema = z.toJSONSchema(tool.input, { io: "input" });
  const rows = fields.map(([name, field]) => {
    const property = (schema.properties?.[name] ?? {}) as { type?: string };
    const need = schema.required?.includes(name) ? "yes" : "no";
    return `| \`${name}\` | ${property.type ?? "any"} | ${need} | ${cell(field.description ?? "")} |`;
  });
  return ["| argument | type | required | |", "|---|---|---|---|", ...rows].join("\n");
}

async function toolReference(): Promise<string> {
  const bridge = await startTestBridge();
  await linkComputer(bridge.linkUrl, { computerId: 12, label: "base-turtle" });
  const client = await connectClient(bridge.mcpUrl);
  const parts = [
    "# Tools",
    "",
    "Made from the tools themselves with `pnpm write-docs`; examples are real calls.",
    "",
  ];
  for (const tool of tools) {
    const args = examples[tool.name];
    if (args === undefined) throw new Error(`${tool.name} needs an example`);
    const real = bridge.registry.jobs.list()[0]?.id ?? "";
    const filled = "jobId" in args ? { ...args, jobId: real } : args;
    const { text, structuredContent } = await callTool(client, tool.name, filled);
    const job = bridge.registry.jobs.list()[0]?.id ?? "none";
    const stable = (value: string) =>
      value
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T00:00:00.000Z")
        .replaceAll(job, "k3x9qd-7");
    parts.push(
      `## ${tool.name}`,
      "",
      tool.description,
      "",
      argumentsTable(tool),
      "",
      `Example: \`${JSON.stringify(args).replace("JOB", "k3x9qd-7")}\``,
      "",
      "```text",
      stable(text),
      "```",
      "",
      "```json",
      stable(JSON.stringify(structuredContent, null, 2)),
      "```",
      "",
    );
  }
  return parts.join("\n");
}

describe("the references", () => {
  it("docs/configuration.md lists every setting", async () => {
    const document = readFileSync(path("docs/configuration.md"), "utf8");
    await expect(withSection(document, "settings", settingsTable())).toMatchFileSnapshot(
      path("docs/configuration.md"),
    );
  });

  it("README.md shows the tools and settings", async () => {
    const document = withSection(readFileSync(path("README.md"), "utf8"), "tools", toolsTable());
    await expect(withSection(document, "settings", settingsTable())).toMatchFileSnapshot(
      path("README.md"),
    );
  });

  it("docs/tools.md describes every tool with a real call", async () => {
    await expect(await toolReference()).toMatchFileSnapshot(path("docs/tools.md"));
  });
});
