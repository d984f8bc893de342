import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  ContentBlockSchema,
  decodeMessage,
  readError,
  readTools,
  toPageResult,
  toRpcError,
} from "../../src/btcp/index.js";

const root = fileURLToPath(new URL("../../fixtures/btcp", import.meta.url));

function cases(folder: string): string[] {
  return readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .sort();
}

function read(folder: string, path: string) {
  return JSON.parse(readFileSync(`${root}/${folder}/${path}`, "utf8"));
}

describe("golden messages", () => {
  it("are all found", () => {
    const counts = ["message", "tools", "result", "error"].map((folder) => cases(folder).length);
    expect(Math.min(...counts)).toBeGreaterThan(10);
  });

  it.each(cases("message"))("message/%s", (path) => {
    const { text, message, refused, id } = read("message", path);
    const decoded = decodeMessage(text);
    if (refused === undefined) expect(decoded).toEqual({ ok: true, message });
    else {
      expect(decoded).toMatchObject({ ok: false, reason: expect.any(String) });
      if (!decoded.ok) expect(decoded.id).toBe(id);
      if (!decoded.ok) expect(decoded.reason.slice(0, refused.length)).toBe(refused);
    }
  });

  it.each(cases("tools"))("tools/%s", (path) => {
    const { tools, kept, problems } = read("tools", path);
    expect(readTools(tools)).toEqual({ tools: kept, problems });
  });

  it.each(cases("result"))("result/%s", (path) => {
    const { result, content, isError } = read("result", path);
    expect(toPageResult(result)).toStrictEqual({ content, isError });
    for (const block of content) expect(ContentBlockSchema.safeParse(block).success).toBe(true);
  });

  it.each(cases("error"))("error/%s", (path) => {
    const { error, code, message, rpcCode } = read("error", path);
    const parsed = readError(error);
    expect(parsed).toEqual({ code, message });
    expect(toRpcError(parsed)).toEqual({ code: rpcCode, message, data: { btcpCode: code } });
  });
});
