import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { linkComputer } from "../helpers/computer.js";
import { recordingLogger } from "../helpers/recording-logger.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool } from "../helpers/sdk-client.js";
import { startWithTokens } from "./helpers.js";

const code = "return 1";

it("a call has one trace id in the log, the audit, the activity, its job and the frame", async () => {
  const auditFile = join(scratchDirectory(), "audit.log");
  const { log, lines } = recordingLogger();
  const bridge = await startWithTokens("t-all name=ann\n", { auditFile }, log);
  const { fake } = await linkComputer(bridge.linkUrl, {
    computerId: 1,
    programs: { [code]: () => [] },
  });
  const client = await bridge.connect("t-all");
  for (let call = 0; call < 2; call += 1) {
    await callTool(client, "exec-lua", { computerId: 1, code });
  }
  const calls = bridge.audit.trail.recent();
  const traces = calls.map(({ trace }) => trace);
  expect(new Set(traces).size).toBe(2);
  expect(bridge.registry.jobs.list().map(({ trace }) => trace)).toEqual(traces);
  const frames = fake.received.filter((frame) => frame.type === "request");
  expect(frames.map(({ trace }) => trace)).toEqual(traces);
  const logged = lines().filter(({ msg }) => msg === "call");
  expect(logged.map(({ trace }) => trace)).toEqual(traces);
  const audited = readFileSync(auditFile, "utf8")
    .split("\n")
    .filter((line) => line.includes('"event":"call"'))
    .map((line) => JSON.parse(line).trace);
  expect(audited).toEqual(traces.flatMap((trace) => [trace, trace]));
});
