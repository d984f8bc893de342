import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startFixtureServer } from "./server.js";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/** The suite needs a Node that this repository does not ask for. */
const hasNewNode = Number(process.versions.node.split(".")[0]) >= 22;

/** Runs the suite with what a revision of MCP requires; its program is fetched by npx. */
async function runSuite(url: string, revision: string) {
  const baseline = fileURLToPath(new URL(`expected-failures.${revision}.yml`, import.meta.url));
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

// Opt-in, since it fetches a program: `pnpm test:conformance`.
describe.runIf(process.env.MCP_CONFORMANCE === "1")("the official conformance suite", () => {
  it.each(["2025-11-25", "2026-07-28"])(
    "finds in %s nothing but what is expected",
    async (revision) => {
      const { code, output } = await runSuite(await startFixtureServer(), revision);
      const summary = output.slice(output.indexOf("SUMMARY"));
      process.stdout.write(`${revision}\n${summary}`);
      expect(code, output).toBe(0);
      expect(summary).toMatch(/^Total: \d+ passed/m);
    },
    300_000,
  );
});
