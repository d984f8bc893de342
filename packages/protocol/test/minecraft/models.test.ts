import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { PlayerInfoSchema } from "../../src/minecraft/index.js";

it("an item that cannot be read is left out with a note, and the others stay", () => {
  const bread = { type: "minecraft:bread", quantity: 3 };
  const inventory = [bread, { type: `mod:${"x".repeat(300)}`, quantity: 1 }, { quantity: 2 }];
  expect(PlayerInfoSchema.parse({ name: "Steve", inventory, notes: ["One."] })).toMatchObject({
    inventory: [bread],
    notes: ["One.", texts.itemsCouldNotBeRead],
  });
  expect(PlayerInfoSchema.parse({ name: "Steve", inventory: [bread] })).not.toHaveProperty("notes");
  expect(PlayerInfoSchema.parse({ name: "Steve" }).inventory).toBeNull();
});
