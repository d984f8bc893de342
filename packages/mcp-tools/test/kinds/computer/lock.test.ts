import { expect, it } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { call, createRegistry, linkRaw } from "../../harness.js";

function lockedComputer(allow: string) {
  const registry = createRegistry();
  const hello = { computerId: 1, protocol: 2, methods: ["ping", "read-file"], allow };
  linkRaw(registry, hello, ({ id, method }, send) =>
    send({ type: "response", id, ok: false, error: `${method} is locked on this computer` }),
  );
  return registry;
}

it("list-computers says what a player allows", async () => {
  for (const [allow, words] of [
    ["look", "locked by its player, who allows only looking"],
    ["files", "locked by its player, who allows only looking and changing files"],
    ["a later level", 'locked by its player, who allows only "a later level"'],
  ] as const) {
    const { text, structuredContent } = await call(lockedComputer(allow), "list-computers");
    expect(text).toContain(`1 (Label: null): computer; `);
    expect(text).toContain(`; ${words}`);
    expect(structuredContent).toMatchObject({ computers: [{ allow }] });
  }
});

it("a request that the player does not allow is refused as that, not as an old agent", async () => {
  const args = { computerId: 1, path: "/a", content: "x" };
  const { text, isError } = await call(lockedComputer("look"), "write-file", args);
  expect(isError).toBe(true);
  expect(text).toContain(texts.computerLabelNullIsLocked);
  expect(text).toContain(texts.onlyThePlayerCan);
  expect(text).not.toMatch(/update|support/);
});

it("a job that the player does not allow did not run", async () => {
  const { text, isError } = await call(lockedComputer("files"), "exec-lua", {
    computerId: 1,
    code: "return 1",
  });
  expect(isError).toBe(true);
  expect(text).toContain(texts.execLuaIsLocked);
  expect(text).toContain(texts.nothingRanOnlyThePlayer);
  expect(text).not.toContain("what it did before");
});
