import type { CapabilityAnswer } from "@ccbridge/protocol/btcp";

export interface HostFile {
  path: string;
  size: number;
}

export interface HostListing {
  exists: boolean;
  files: HostFile[];
  skipped: string[];
}

/**
 * A folder on the bridge's machine, or one inside it. Whatever path it is given, it never touches anything
 * outside, and it never follows a symbolic link; it throws a {@link HostFolderError} instead.
 */
export interface HostFolder {
  list(): Promise<HostListing>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface HostFolders {
  names: readonly string[];
  /** Undefined for an unknown name. Throws for a sub-path that leads outside. */
  open(name: string, subPath: string): HostFolder | undefined;
}

export class HostFolderError extends Error {
  override readonly name = "HostFolderError";
}

export interface KindServices {
  pairing?: ComputerApprovals | undefined;
  capabilities?: CapabilityDesk | undefined;
  servers?: ServerPolicy | undefined;
  results?: ResultStore | undefined;
}

/** Long results of one client's calls, which it reads piece by piece. */
export interface ResultStore {
  /** Returns the id to read it by. */
  keep(text: string): string;
  read(id: string): Promise<string | undefined>;
}

export interface ServerPolicy {
  tools: ReadonlySet<string>;
  /** Says why a command must not run; undefined if it may. */
  checkCommand(command: string): string | undefined;
  hint: string;
  /** How long a server may take to answer. @default 30000 */
  timeoutMs?: number;
}

export interface CapabilityDesk {
  /** `program`: which one asks, for the person who decides. */
  request(names: readonly string[], program: string | undefined): CapabilityAnswer;
  grant(names: readonly string[]): void;
}

export interface PendingComputer {
  /** Names it here. Its screen shows the code too, unless its program is too old. */
  readonly code: string;
  readonly showsCode: boolean;
  readonly computerId: number;
  readonly label: string | null;
  readonly address: string;
  readonly replaces: boolean;
}

export interface ComputerApprovals {
  waiting(): readonly PendingComputer[];
  /** False when the computer waits no longer. The caller has asked the person. */
  approve(code: string): boolean;
  /** Calls back, not at once, when a computer waits while none did, and when none waits any more. */
  subscribe(listener: () => void): () => void;
}
