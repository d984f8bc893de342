import fc from "fast-check";

export const playerName = fc.stringMatching(/^[A-Za-z]\w{0,15}$/);

export const playerNames = fc.uniqueArray(playerName, {
  maxLength: 12,
  selector: (name) => name.toLowerCase(),
});

export const chatText = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 80 })
  .map((text) => text.replace(/[\p{Cc}\u2028\u2029]|§./gu, "").trim())
  .filter((text) => text !== "");

export const shortText = chatText.filter((text) => text.length <= 200);

export const dimension = fc.constantFrom(
  "minecraft:overworld",
  "minecraft:the_nether",
  "minecraft:the_end",
);

export const coordinate = fc.integer({ min: -30_000_000, max: 30_000_000 }).map((n) => n / 4);

export const height = fc.integer({ min: -64, max: 320 });

export const position = fc.record(
  { x: coordinate, y: height, z: coordinate },
  { noNullPrototype: true },
);

export const items = fc.array(
  fc.record(
    {
      type: fc.constantFrom("minecraft:stone", "minecraft:bread"),
      quantity: fc.integer({ min: 1, max: 64 }),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 5 },
);

export const gameMode = fc.constantFrom("survival", "creative", "adventure", "spectator");
