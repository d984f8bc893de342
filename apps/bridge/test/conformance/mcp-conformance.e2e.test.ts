import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startFixtureServer } from "./server.js";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const hasNewNode = Number(process.versions.node.split(".")[0]) >= 22;

async function runSuite(url: string, revision: string) {
  const baseline = fileURLToPath(new URL("expected-failures.yml", import.meta.url));
  const node = hasNewNode ? [] : ["-p", "node@22"];
  const child = spawn("npx", [
    ...["-y", ...node, "-p", SUITE, "conformance", "server", "--url", url],
    ...["--requirements", revision, "--expected-failures", baseline],
  ]);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code, output: `${output}${errors}` };
}

interface Expected {
  revision: string;
  required: number;
  leftOut: RegExp;
}

const runs: Expected[] = [
  { revision: "2025-11-25", required: 30, leftOut: /^$/ },
  {
    revision: "2026-07-28",
    required: 37,
    leftOut: /^(tasks-[a-z-]+|http-custom-header-server-validation)$/,
  },
];

describe("the official conformance suite", () => {
  it.each(runs)(
    "passes with all $required scenarios of $revision",
    async ({ revision, required, leftOut }) => {
      const { code, output } = await runSuite(await startFixtureServer(), revision);
      const summary = output.slice(output.indexOf("SUMMARY"));
      process.stdout.write(`${revision}\n${summary}`);
      expect(code, output).toBe(0);
      const [scored = ""] = summary.split("Not scored");
      const results = [...scored.matchAll(/^([✓✗]) ([a-z0-9-]+): /gm)];
      const failed = results.flatMap(([, mark, name = ""]) => (mark === "✗" ? [name] : []));
      expect(failed.filter((name) => !leftOut.test(name))).toEqual([]);
      expect(results.length - failed.length).toBeGreaterThanOrEqual(required);
    },
    300_000,
  );
});
