import type { CapabilityAnswer } from "@ccbridge/protocol/btcp";

/**
 * What the bridge grants a client for the kinds that it comes with, by who the client is. Tools of
 * other kinds get such things from the function that makes them.
 */
export interface KindGrants {
  /** Where computers are approved; absent when this client may not. */
  pairing?: ComputerApprovals | undefined;
  /** Where capabilities of web pages are asked for; absent when no page may connect. */
  capabilities?: CapabilityDesk | undefined;
  /** What the client may do on Minecraft servers; looking and talking if it is left out. */
  servers?: ServerPolicy | undefined;
}

/** What the owner of the tools allows a client on Minecraft servers. */
export interface ServerPolicy {
  /** Tools that may be called; others are refused. */
  tools: ReadonlySet<string>;
  /** Says why a command must not run; undefined if it may. */
  checkCommand(command: string): string | undefined;
  /** How to allow what is refused. */
  hint: string;
}

/** Decides what an AI client may use of web pages. */
export interface CapabilityDesk {
  /** Sorts a request. What is pending waits for a person. */
  request(names: readonly string[]): CapabilityAnswer;
  /** A person has said yes to these. */
  grant(names: readonly string[]): void;
}

/** A computer that no tool reaches until a person approves it. */
export interface WaitingComputer {
  /** Names it here. Its screen shows the code too, unless its program is too old. */
  readonly code: string;
  readonly showsCode: boolean;
  readonly computerId: number;
  readonly label: string | null;
  readonly address: string;
  /** Whether another computer of this identity is approved. */
  readonly replaces: boolean;
}

/** Approves computers, for clients that may decide for others. */
export interface ComputerApprovals {
  waiting(): readonly WaitingComputer[];
  /** False when the computer waits no longer. The caller has asked the person. */
  approve(code: string): boolean;
  /** Calls back, not at once, when a computer waits while none did, and when none waits any more. */
  subscribe(listener: () => void): () => void;
}
