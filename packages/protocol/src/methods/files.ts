import { z } from "zod";
import { count, cutText, name, number, path } from "../link/bounds.js";
import { requestId } from "../link/frames.js";
import { luaArray } from "../link/lua.js";

const MAX_ENTRIES = 10_000;

const space = {
  freeSpace: z.union([number, name]).optional().catch(undefined),
  capacity: number.optional().catch(undefined),
};

const flag = z.boolean().optional().catch(undefined);
const base64 = z.literal("base64").optional();

const FileEntrySchema = z.object({
  path,
  isDir: z.boolean().default(false),
  size: count.optional(),
  /** Milliseconds since 1970; absent for files in /rom. */
  modified: number.optional().catch(undefined),
  readOnly: flag,
  hash: name.optional(),
});

export type FileEntry = z.infer<typeof FileEntrySchema>;

const ListFilesParamsSchema = z.object({
  path: z.string(),
  recursive: z.boolean().optional(),
  /** `*`, `?` and `**`; a pattern without a slash matches the file name. */
  glob: z.string().optional(),
  hashes: z.boolean().optional(),
  /** Return an empty list with `missing` instead of an error. */
  missingOk: z.boolean().optional(),
  offset: z.int().optional(),
  limit: z.int().optional(),
});

const ListFilesResultSchema = z.object({
  path,
  total: count,
  files: count,
  bytes: number,
  entries: luaArray(FileEntrySchema, MAX_ENTRIES),
  missing: flag,
  romSkipped: flag,
  cut: flag,
  ...space,
});

const ReadFileParamsSchema = z.object({
  path: z.string(),
  startLine: z.int().optional(),
  endLine: z.int().optional(),
  /** 0-based byte offset; takes precedence over startLine. */
  offset: z.int().optional(),
  maxBytes: z.int().optional(),
  base64: z.boolean().optional(),
});

const ReadFileResultSchema = z.object({
  path,
  size: count,
  hash: name,
  lines: count,
  endings: z.enum(["lf", "crlf", "mixed", "none"]),
  offset: count,
  startLine: count.optional(),
  endLine: count.optional(),
  content: z.string(),
  /** Set when `content` is base64: requested, or not UTF-8. */
  encoding: base64,
  nextOffset: count.optional(),
});

export type ReadFileResult = z.infer<typeof ReadFileResultSchema>;

/** `absent`: the file must not exist. */
const expectedHash = z.string().optional();

const WriteFileParamsSchema = z.object({
  path: z.string(),
  content: z.string(),
  encoding: base64,
  append: z.boolean().optional(),
  createDirectories: z.boolean().optional(),
  expectedHash,
});

const written = { path, size: count, hash: name, ...space };

const WriteFileResultSchema = z.object({ ...written, created: z.boolean() });

const EditSchema = z.object({
  oldText: z.string(),
  newText: z.string(),
  encoding: base64,
  replaceAll: z.boolean().optional(),
});

/** One edit, or several in `edits`, applied in order and atomically. */
const EditFileParamsSchema = z.object({
  path: z.string(),
  ...EditSchema.partial().shape,
  edits: z.array(EditSchema).optional(),
  expectedHash,
});

const EditFileResultSchema = z.object({
  ...written,
  replaced: z.int(),
  /** The first twenty edited lines, numbered as before the edit. */
  lines: luaArray(z.int(), 64),
});

const DeleteFileParamsSchema = z.object({
  path: z.string(),
  recursive: z.boolean().optional(),
  /** Of a folder: that of its listing, see {@link fileHash}. Older agents do not look at it for folders. */
  expectedHash,
});

const counts = { files: count, folders: count, ...space };

const DeleteFileResultSchema = z.object({ path, ...counts });

const TransferParamsSchema = z.object({
  from: z.string(),
  /** If this is an existing folder, the entry goes into it. */
  to: z.string(),
  overwrite: z.boolean().optional(),
  /** What `from` must be, and what `to` must be where it ends up. Older agents do not look at it. */
  expectedHash,
  expectedTarget: expectedHash,
});

const TransferResultSchema = z.object({
  from: path,
  to: path,
  replaced: flag,
  ...counts,
});

const SearchFilesParamsSchema = z.object({
  path: z.string(),
  query: z.string(),
  pattern: z.boolean().optional(),
  ignoreCase: z.boolean().optional(),
  glob: z.string().optional(),
  context: z.int().optional(),
  offset: z.int().optional(),
  limit: z.int().optional(),
});

const line = cutText(65_536);

const SearchMatchSchema = z.object({
  path,
  line: count,
  text: line,
  before: luaArray(line, 64).optional(),
  after: luaArray(line, 64).optional(),
});

export type SearchMatch = z.infer<typeof SearchMatchSchema>;

const SearchFilesResultSchema = z.object({
  path,
  matches: luaArray(SearchMatchSchema, MAX_ENTRIES),
  searched: count,
  skipped: count,
  more: flag,
  timedOut: flag,
  romSkipped: flag,
  cut: flag,
});

/** What files were before jobs changed them; `forget` names those that the bridge has. */
const KeptFilesParamsSchema = z.object({ forget: z.array(name).max(1_000).optional() });

const KeptFileSchema = z.object({
  id: name,
  job: requestId,
  path,
  /** When it was first changed, by the clock there, in milliseconds since 1970. */
  time: z.int().nonnegative(),
  /** There was no file. */
  absent: flag,
  /** What was in it, as text or in base64. */
  text: z.string().optional(),
  content: z.string().optional(),
  /** What was in it is the beginning of `left`, this long. */
  length: count.optional(),
  /** Why that was not kept. */
  problem: cutText(300).optional(),
  /** What the job left, unless something else may have changed it since. */
  after: z.object({ absent: flag, size: count.optional(), hash: name.optional() }).optional(),
  /** The same as text, in ASCII. */
  left: z.string().optional(),
});

export type KeptFile = z.infer<typeof KeptFileSchema>;

const KeptFilesResultSchema = z.object({
  files: luaArray(KeptFileSchema, 1_000),
  more: flag,
  /** The clock there. */
  now: z.number(),
});

/** All paths are absolute: there is no working directory. */
export const filesMethods = {
  "list-files": { params: ListFilesParamsSchema, result: ListFilesResultSchema },
  "read-file": { params: ReadFileParamsSchema, result: ReadFileResultSchema },
  "write-file": { params: WriteFileParamsSchema, result: WriteFileResultSchema },
  "edit-file": { params: EditFileParamsSchema, result: EditFileResultSchema },
  "delete-file": { params: DeleteFileParamsSchema, result: DeleteFileResultSchema },
  "move-file": { params: TransferParamsSchema, result: TransferResultSchema },
  "copy-file": { params: TransferParamsSchema, result: TransferResultSchema },
  "search-files": { params: SearchFilesParamsSchema, result: SearchFilesResultSchema },
  "kept-files": { params: KeptFilesParamsSchema, result: KeptFilesResultSchema },
} as const;

/** The largest prime below 2^44: a state times 257 stays below 2^53, where numbers are exact. */
const PRIME = 2 ** 44 - 17;

/** A file's content hash as agents compute it: detects changes, not cryptographic. Other callers treat it as opaque. */
export function fileHash(bytes: Uint8Array): string {
  let state = 1;
  for (const byte of bytes) {
    const next = state * 257 + byte;
    // Exact below 2^53, in half the time of `%`.
    state = next - Math.floor(next / PRIME) * PRIME;
  }
  return `${state.toString(16).padStart(11, "0")}-${bytes.length}`;
}
