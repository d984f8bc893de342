import type { Computers } from "../kinds/computer/computers.js";
import type { ComputerLink } from "../kinds/computer/link.js";
import type { Channel, Origin } from "../session.js";

export interface AgentEnd {
  readonly link: ComputerLink;
  readonly closedWith: { code: number; reason: string } | undefined;
  send(text: string): void;
  drop(): void;
}

export interface ChannelPairOptions {
  origin?: Origin;
  receive(text: string): void;
  bufferedBytes?: () => number;
}

export function connectInMemory(computers: Computers, options: ChannelPairOptions): AgentEnd {
  let closedWith: { code: number; reason: string } | undefined;
  let open = true;
  const channel: Channel = {
    send: (text) => {
      if (open) options.receive(text);
    },
    close: (code, reason) => {
      if (!open) return;
      open = false;
      closedWith = { code, reason };
      queueMicrotask(() => link.closed(reason));
    },
    get bufferedBytes() {
      return options.bufferedBytes?.() ?? 0;
    },
  };
  const link = computers.attach(channel, options.origin ?? { address: "memory" });
  return {
    link,
    get closedWith() {
      return closedWith;
    },
    send: (text) => {
      if (open) link.receive(text);
    },
    drop: () => {
      if (!open) return;
      open = false;
      link.closed("dropped");
    },
  };
}
