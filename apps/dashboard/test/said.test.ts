import { expect, it } from "vitest";
import { changeText, said } from "../src/said.js";

it.each([
  ["computer 30 (Label: quarry)", "quarry (#30)"],
  ['Computer 30 (Label: "main base")', "main base (#30)"],
  ["30 (Label: quarry)", "quarry (#30)"],
  ['30 (Label: "farm (old)"), 31 (Label: mill)', "farm (old) (#30), mill (#31)"],
  ["computer 7 (Label: null)", "Computer 7"],
  ["May helper run code on computer 21 (Label: miner)?", "May helper run code on miner (#21)?"],
  ["server survival", "server survival"],
])("%s is said as %s", (text, spoken) => {
  expect(said(text)).toBe(spoken);
});

it("a change is said without hashes and ids", () => {
  const line =
    "- /a on computer 12 (Label: base) (mw4l91x-1, mw4l91x-2): 5 bytes, hash 4ae6-5 -> no file";
  expect(changeText(line, ["mw4l91x-1", "mw4l91x-2"])).toBe(
    "- /a on base (#12): 5 bytes -> no file",
  );
});
