import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  type AgentFrame,
  decodeAgentFrame,
  decodeBridgeFrame,
  encodeFrame,
} from "../../src/index.js";

const root = fileURLToPath(new URL("../../fixtures", import.meta.url));
const cases = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".json") && !/^(btcp|minecraft|recorded)[/\\]/.test(path))
  .sort();

interface Fixture {
  from: "agent" | "bridge";
  text: string;
  frame?: AgentFrame;
  refused?: string;
}

describe("golden frames", () => {
  it("are all found", () => {
    expect(cases.length).toBeGreaterThan(40);
  });

  it.each(cases)("%s", (path) => {
    const fixture: Fixture = JSON.parse(readFileSync(`${root}/${path}`, "utf8"));
    const decode = fixture.from === "agent" ? decodeAgentFrame : decodeBridgeFrame;
    const decoded = decode(fixture.text);
    if (fixture.refused === undefined) {
      expect(decoded).toEqual({ ok: true, frame: fixture.frame });
      if (fixture.frame) expect(decode(encodeFrame(fixture.frame))).toEqual(decoded);
    } else {
      expect(decoded).toMatchObject({ ok: false });
      if (!decoded.ok) expect(decoded.reason.startsWith(fixture.refused)).toBe(true);
    }
  });
});
