import type { Computer } from "../computer.js";
import type { PeripheralMethod } from "../peripherals.js";
import type { Side } from "../redstone.js";
import type { LuaValue } from "../vm/literal.js";
import { LuaError } from "../vm/lua-vm.js";
import type { LuaData } from "../vm/wire.js";

const MAX_CHANNEL = 65_535;
const MAX_OPEN_CHANNELS = 128;

interface Modem {
  readonly computer: Computer;
  readonly side: Side;
  readonly channels: Set<number>;
}

function channel(value: LuaData): number {
  if (typeof value !== "number" || value < 0 || value > MAX_CHANNEL) {
    throw new LuaError("Expected number in range 0-65535");
  }
  return value;
}

export class Radio {
  readonly #modems: Modem[] = [];

  attach(computer: Computer, side: Side): void {
    const methods = { isWireless: () => true, ...this.join(computer, side) };
    computer.attach(side, { types: ["modem"], methods });
  }

  join(computer: Computer, side: Side): Record<string, PeripheralMethod> {
    const modem: Modem = { computer, side, channels: new Set() };
    this.#modems.push(modem);
    return {
      open: (number) => {
        if (modem.channels.size >= MAX_OPEN_CHANNELS) throw new LuaError("Too many open channels");
        modem.channels.add(channel(number));
      },
      close: (number) => void modem.channels.delete(channel(number)),
      closeAll: () => modem.channels.clear(),
      isOpen: (number) => modem.channels.has(channel(number)),
      transmit: (to, reply, payload) =>
        this.#transmit(modem, channel(to), channel(reply), payload as LuaValue),
    };
  }

  #transmit(sender: Modem, to: number, reply: number, payload: LuaValue): void {
    for (const modem of this.#modems) {
      if (modem === sender || !modem.channels.has(to)) continue;
      modem.computer.queueEvent("modem_message", modem.side, to, reply, payload, 1);
    }
  }
}
