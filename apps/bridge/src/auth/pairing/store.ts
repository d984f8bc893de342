import { readFileSync } from "node:fs";
import { z } from "zod";
import { writePrivately } from "../../config/private-file.js";

const ComputerSchema = z.object({
  key: z.string().min(1).max(1_024),
  computerId: z.int().nonnegative(),
  label: z.string().nullable(),
  world: z.string().nullable(),
  pairedAt: z.number(),
  pairedBy: z.string(),
  /** The code that approved it. */
  code: z.string().max(64).optional(),
});

const PairedSchema = ComputerSchema.extend({ secretHash: z.string().regex(/^[0-9a-f]{64}$/) });

const ApprovedSchema = ComputerSchema.extend({
  address: z.string().max(256),
  /** Whether its label may change: it sends an instance id, which others cannot guess. */
  anyLabel: z.boolean(),
});

const FileSchema = z.object({
  version: z.literal(1),
  computers: z.array(PairedSchema),
  // A separate list, so that earlier releases can read the file.
  approved: z.array(ApprovedSchema).default([]),
});

export type StoredPairing = Readonly<z.infer<typeof PairedSchema>>;
export type StoredApproval = Readonly<z.infer<typeof ApprovedSchema>>;

interface Stored {
  computers: readonly StoredPairing[];
  approved: readonly StoredApproval[];
}

class PairingFileError extends Error {
  override readonly name = "PairingFileError";
}

/** Empty when the file does not exist yet. */
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
      `${path} is not a file of paired computers. Fix it, or move it away to approve all computers again.`,
    );
  }
}

/** Writes atomically, readable for the owner only. */
export function writePairings(path: string, stored: Stored): void {
  try {
    writePrivately(path, { version: 1, ...stored });
  } catch (error) {
    throw new PairingFileError(`cannot write the file: ${(error as Error).message}`);
  }
}
