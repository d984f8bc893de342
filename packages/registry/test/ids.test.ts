import { expect, it } from "vitest";
import { createId } from "../src/requests.js";

it("makes ids of one form, none twice, with every digit at every place", () => {
  const ids = Array.from({ length: 5_000 }, createId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{18}$/);
  for (let place = 0; place < 18; place++) {
    expect(new Set(ids.map((id) => id[place])).size).toBe(16);
  }
});
