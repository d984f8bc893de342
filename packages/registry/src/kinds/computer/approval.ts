import {
  encodeFrame,
  Feature,
  type Hello,
  HelloErrorCode,
  LinkCloseCode,
} from "@ccbridge/protocol";
import { LinkErrorCode } from "../../errors.js";
import type { Origin } from "../../session.js";
import type { Computers } from "./computers.js";
import { admit, welcome } from "./handshake.js";
import type { ComputerLink } from "./link.js";
import type { ComputerProvider } from "./provider.js";

export interface PairingDesk {
  /** Whether a computer has the secret that it got when it was approved. */
  accepts(computer: ComputerProvider, secret: string | undefined): boolean;
  /** Whether a computer without a secret may link: it needs no approval, or has one. */
  admits(computer: ComputerProvider, origin: Origin): boolean;
  /** Has a computer wait; undefined when it cannot, because only computers that show a code are approved. */
  open(computer: WaitingComputer, events: ApprovalEvents): OpenedWait | undefined;
}

export interface WaitingComputer {
  readonly provider: ComputerProvider;
  readonly origin: Origin;
  /** Whether its program can show a code to the player and keep a secret. */
  readonly showsCode: boolean;
}

interface ApprovalEvents {
  /** Computers that show no code get no secret either. */
  approved(secret: string | undefined): void;
  ended(reason: "expired" | "displaced"): void;
}

interface OpenedWait {
  readonly code: string;
  readonly expiresInMs: number;
  close(): void;
}

export interface ApprovalWait {
  readonly computer: WaitingComputer;
  readonly answer: string;
  stop(): void;
}

const TOO_OLD_TO_PAIR =
  "This bridge links only computers that are paired, and this program cannot be: update it with the bridge's install line.";

const endings = {
  expired: [
    LinkCloseCode.helloTimeout,
    "This computer was not approved in time. It shows a new code.",
  ],
  displaced: [LinkCloseCode.tooManyLinks, "Too many computers wait for approval. Try again later."],
} as const;

/**
 * Keeps the connection of a computer that is not approved, and nothing else: it gets no request, and what it sends
 * is dropped.
 */
export function awaitApproval(
  { computers, link, hello }: { computers: Computers; link: ComputerLink; hello: Hello },
  desk: PairingDesk,
  provider: ComputerProvider,
): void {
  const computer = {
    provider,
    origin: link.origin,
    showsCode: hello.features.includes(Feature.pairing),
  };
  if (link.waiting !== undefined && isSame(link.waiting.computer, computer)) {
    return link.write(link.waiting.answer);
  }
  // What the owner saw of it is not what it says now: nothing of that can be approved any more.
  link.awaitHello();
  const opened = desk.open(computer, {
    approved(secret) {
      if (secret !== undefined) {
        link.awaitHello();
        return link.write(encodeFrame({ type: "paired", secret }));
      }
      // It took the answer to its hello for a link, so it is linked now. Version 1 may not know how to link again;
      // later versions do, and their jobs need a complete handshake.
      if (hello.protocol === 1) admit(computers, link, { hello, provider, isWelcomed: true });
      else link.close(LinkErrorCode.disconnected, "approved: link again");
    },
    ended(reason) {
      const [closeCode, message] = endings[reason];
      link.refuse(closeCode, HelloErrorCode.pairing, message);
    },
  });
  if (opened === undefined) {
    return link.refuse(LinkCloseCode.unauthorized, HelloErrorCode.pairing, TOO_OLD_TO_PAIR);
  }
  const { code, expiresInMs, close } = opened;
  const answer = computer.showsCode
    ? encodeFrame({ type: "pairing", code, expiresMs: expiresInMs })
    : welcome(computers, hello, []);
  link.awaitApproval({ computer, answer, stop: close });
  link.write(answer);
}

function isSame(a: WaitingComputer, b: WaitingComputer): boolean {
  return (
    a.provider.key === b.provider.key &&
    a.provider.label === b.provider.label &&
    a.provider.protocol === b.provider.protocol &&
    a.showsCode === b.showsCode
  );
}
