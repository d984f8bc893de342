/** A file below a host folder; its path is relative, with slashes. */
export interface HostFile {
  path: string;
  size: number;
}

export interface HostListing {
  /** False when the sub-path does not exist, which is as good as empty. */
  exists: boolean;
  files: HostFile[];
  /** What is left out, such as symbolic links. */
  skipped: string[];
}

/**
 * A folder on the machine of the bridge, or one below it. Whatever path it is given, it never touches
 * anything outside, and it never follows a symbolic link; it throws a {@link HostFolderError} instead.
 */
export interface HostFolder {
  list(): Promise<HostListing>;
  read(path: string): Promise<Uint8Array>;
  /** Makes missing folders. A failure leaves the old file as it was. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The folders that the owner of the bridge allows to mirror, by the names that he gave them. */
export interface HostFolders {
  names: readonly string[];
  /** Undefined for a name that is not among them. Throws for a sub-path that leads out. */
  open(name: string, subPath: string): HostFolder | undefined;
}

/** A host folder that cannot be used as asked; the message is for the caller. */
export class HostFolderError extends Error {
  override readonly name = "HostFolderError";
}
