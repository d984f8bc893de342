import { type Computer, createWorld } from "@ccbridge/cc-host";

const SECOND = 1_000;

export async function lockFault(disk: Computer["fs"]): Promise<string | undefined> {
  if (!disk.exists("/lock.lua")) return "there is no /lock.lua";
  const world = await createWorld({ time: "driven" });
  try {
    const computer = world.computer({ files: { "/lock.lua": disk.readBytes("/lock.lua") } });
    const door = () => computer.redstone.output("right");
    const enter = async (text: string) => {
      computer.type(`${text}\n`);
      await world.advance(SECOND);
    };
    computer.turnOn();
    await world.advance(SECOND);
    await enter("lock");
    await enter("1111");
    if (door() > 0) return "the door opens for a wrong code";
    await world.advance(6 * SECOND);
    await enter("2580");
    if (door() === 0) return "the door stays shut for the right code";
    await world.advance(SECOND);
    if (door() === 0) return "the door shuts too soon";
    await world.advance(4 * SECOND);
    if (door() > 0) return "the door stays open";
    await enter("2580");
    if (door() === 0) return "the door opens only once";
  } finally {
    world.close();
  }
}
