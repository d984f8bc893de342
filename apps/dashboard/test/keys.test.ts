import { expect, it } from "vitest";
import { stepOf } from "../src/screen/keys.js";

const press = (key: string, held: Partial<Parameters<typeof stepOf>[0]> = {}) =>
  stepOf({ key, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, ...held });

it("keys of the browser are those of the game", () => {
  expect(press("a")).toEqual({ type: "key", key: "a" });
  expect(press("A", { shiftKey: true })).toEqual({ type: "text", text: "A" });
  expect(press(" ")).toEqual({ type: "key", key: "space" });
  expect(press("ArrowUp")).toEqual({ type: "key", key: "up" });
  expect(press("Tab", { shiftKey: true })).toEqual({ type: "key", key: "shift+tab" });
  expect(press("s", { ctrlKey: true })).toEqual({ type: "key", key: "ctrl+s" });
  expect(press("@", { ctrlKey: true, altKey: true })).toEqual({ type: "text", text: "@" });
});

it("what is the browser's, or unknown to the game, is left alone", () => {
  expect(press("Escape")).toBeUndefined();
  expect(press("v", { ctrlKey: true })).toBeUndefined();
  expect(press("c", { ctrlKey: true })).toBeUndefined();
  expect(press("a", { metaKey: true })).toBeUndefined();
  expect(press("Shift")).toBeUndefined();
  expect(press("\u{1f680}")).toBeUndefined();
});
