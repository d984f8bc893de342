import { describe, expect, it } from "vitest";
import { ExecLuaResultSchema, LuaValueSchema } from "../src/index.js";

describe("what Lua does to JSON", () => {
  it.each([
    [{}, { returns: [], output: "" }],
    [
      { returns: {}, output: "hi" },
      { returns: [], output: "hi" },
    ],
    [
      { returns: [2, "a", true, null] },
      {
        returns: [
          { type: "number", value: 2 },
          { type: "string", value: "a" },
          { type: "boolean", value: true },
          { type: "nil" },
        ],
        output: "",
      },
    ],
    [
      { returns: [{ a: 1 }, [1]] },
      {
        returns: [
          { type: "table", value: { a: 1 } },
          { type: "table", value: [1] },
        ],
        output: "",
      },
    ],
    [
      { returns: "garbage", output: 5, encoding: "rot13" },
      { returns: [], output: "" },
    ],
  ])("reads an exec-lua result %j", (wire, result) => {
    expect(ExecLuaResultSchema.parse(wire)).toEqual(result);
  });

  it("keeps descriptors as they are, with fields it does not know", () => {
    const value = { type: "string", value: "/w==", encoding: "base64", length: 1 };
    expect(LuaValueSchema.parse(value)).toEqual(value);
  });
});
