import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

const ComputerSchema = z.object({
  /** Who it is: id, world and instance in one. */
  key: z.string().min(1).max(1_024),
  computerId: z.int().nonnegative(),
  label: z.string().nullable(),
  world: z.string().nullable(),
  /** Milliseconds since 1970. */
  pairedAt: z.number(),
  /** The name of the person who approved it. */
  pairedBy: z.string(),
});

/** A computer with a secret, which is kept as a hash only. */
const PairedSchema = ComputerSchema.extend({ secretHash: z.string().regex(/^[0-9a-f]{64}$/) });

/** A computer without a secret, because its program cannot keep one. */
const ApprovedSchema = ComputerSchema.extend({
  /** Where it connects from. */
  address: z.string().max(256),
  /** Whether it may have another label: it says an instance, which others cannot guess. */
  anyLabel: z.boolean(),
});

const FileSchema = z.object({
  version: z.literal(1),
  computers: z.array(PairedSchema),
  // Apart from the others, so that earlier releases can read the file.
  approved: z.array(ApprovedSchema).default([]),
});

export type StoredPairing = Readonly<z.infer<typeof PairedSchema>>;
export type StoredApproval = Readonly<z.infer<typeof ApprovedSchema>>;

interface Stored {
  computers: readonly StoredPairing[];
  approved: readonly StoredApproval[];
}

/** Why the file of paired computers cannot be used. */
class PairingFileError extends Error {
  override readonly name = "PairingFileError";
}

/** The approved computers of a file; none when there is no file yet. */
export function readPairings(path: string): Stored {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { computers: [], approved: [] };
    throw new PairingFileError(`cannot read the file: ${(error as Error).message}`);
  }
  try {
    return FileSchema.parse(JSON.parse(text));
  } catch {
    throw new PairingFileError(
      `${path} is not a file of paired computers. Mend it, or move it away to approve all computers again.`,
    );
  }
}

/** Writes the file as a whole, readable for its owner alone: a crash leaves the old or the new one. */
export function writePairings(path: string, stored: Stored): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const scratch = `${path}.new`;
    const text = JSON.stringify({ version: 1, ...stored }, null, 2);
    writeFileSync(scratch, `${text}\n`, { mode: 0o600, flush: true });
    renameSync(scratch, path);
  } catch (error) {
    throw new PairingFileError(`cannot write the file: ${(error as Error).message}`);
  }
}
