import { expect, it } from "vitest";
import { said } from "../src/said.js";

it.each([
  ["computer 30 (Label: quarry)", "quarry (#30)"],
  ['Computer 30 (Label: "main base")', "main base (#30)"],
  ["30 (Label: quarry)", "quarry (#30)"],
  ["computer 7 (Label: null)", "Computer 7"],
  ["May helper run code on computer 21 (Label: miner)?", "May helper run code on miner (#21)?"],
  ["server survival", "server survival"],
])("%s is said as %s", (text, spoken) => {
  expect(said(text)).toBe(spoken);
});
