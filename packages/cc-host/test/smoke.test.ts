import { expect, it } from "vitest";
import { createWorld } from "../src/index.js";

it("boots to a prompt and runs a program", async () => {
  const world = await createWorld();
  const c = world.computer({
    id: 12,
    files: { "/hi.lua": 'print("hello", 1+1, _VERSION, os.version())' },
  });
  c.turnOn();
  await c.idle();
  c.type("hi\n");
  await c.idle();
  expect(c.screen.text()).toContain("hello");
  world.close();
});
