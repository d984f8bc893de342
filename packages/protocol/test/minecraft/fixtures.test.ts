import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decodeFrame, type Frame, type Source } from "../../src/minecraft/index.js";

const root = fileURLToPath(new URL("../../fixtures/minecraft", import.meta.url));
const cases = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /[/\\].*\.json$/.test(path))
  .sort();

interface Fixture {
  from: Source;
  text: string;
  frame?: Frame;
  refused?: string;
  id?: string;
  foreignVersion?: boolean;
  authToken?: string;
}

describe("golden messages", () => {
  it("are all found", () => {
    expect(cases.length).toBeGreaterThan(50);
  });

  it.each(cases)("%s", (path) => {
    const fixture: Fixture = JSON.parse(readFileSync(`${root}/${path}`, "utf8"));
    const { from, text, frame, refused, id, foreignVersion = false, authToken } = fixture;
    const decoded = decodeFrame(text, from);
    if (refused === undefined) {
      expect(decoded).toEqual({ ok: true, frame, foreignVersion, authToken });
    } else {
      expect(decoded).toMatchObject({ ok: false, foreignVersion });
      if (!decoded.ok) {
        expect(decoded.reason.slice(0, refused.length)).toBe(refused);
        expect(decoded.id).toBe(id);
        expect(decoded.authToken).toBe(authToken);
      }
    }
  });
});
