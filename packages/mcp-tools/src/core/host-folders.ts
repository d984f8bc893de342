/** A file below a host folder; its path is relative, with slashes. */
export interface HostFile {
  path: string;
  size: number;
}

export interface HostListing {
  /** False when the sub-path does not exist, which counts as empty. */
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
  /** Creates missing folders. A failure leaves the old file as it was. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The folders that the bridge's owner allows to be mirrored, by the names they were given. */
export interface HostFolders {
  names: readonly string[];
  /** Undefined for an unknown name. Throws for a sub-path that leads outside. */
  open(name: string, subPath: string): HostFolder | undefined;
}

/** A host folder that cannot be used as asked; the message is for the caller. */
export class HostFolderError extends Error {
  override readonly name = "HostFolderError";
}
