import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

/** A computer that somebody paired. Its secret is kept as a hash only. */
const PairedSchema = z.object({
  /** Who it is: id, world and instance in one. */
  key: z.string().min(1).max(1_024),
  computerId: z.int().nonnegative(),
  label: z.string().nullable(),
  world: z.string().nullable(),
  secretHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Milliseconds since 1970. */
  pairedAt: z.number(),
  /** The name of the person who confirmed it. */
  pairedBy: z.string(),
});

const FileSchema = z.object({ version: z.literal(1), computers: z.array(PairedSchema) });

export type StoredPairing = Readonly<z.infer<typeof PairedSchema>>;

/** Why the file of paired computers cannot be used. */
class PairingFileError extends Error {
  override readonly name = "PairingFileError";
}

/** The paired computers of a file; none when there is no file yet. */
export function readPairings(path: string): StoredPairing[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new PairingFileError(`cannot read the file: ${(error as Error).message}`);
  }
  try {
    return FileSchema.parse(JSON.parse(text)).computers;
  } catch {
    throw new PairingFileError(
      `${path} is not a file of paired computers. Mend it, or move it away to pair all computers again.`,
    );
  }
}

/** Writes the file as a whole, readable for its owner alone: a crash leaves the old or the new one. */
export function writePairings(path: string, computers: readonly StoredPairing[]): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const scratch = `${path}.new`;
    const text = JSON.stringify({ version: 1, computers }, null, 2);
    writeFileSync(scratch, `${text}\n`, { mode: 0o600, flush: true });
    renameSync(scratch, path);
  } catch (error) {
    throw new PairingFileError(`cannot write the file: ${(error as Error).message}`);
  }
}
