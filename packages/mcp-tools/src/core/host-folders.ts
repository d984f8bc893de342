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
