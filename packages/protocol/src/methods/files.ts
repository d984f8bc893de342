import { z } from "zod";
import { count, cutText, name, number, path } from "../link/bounds.js";
import { luaArray } from "../link/lua.js";

/** Files or matches on one page; agents send far fewer. */
const MAX_ENTRIES = 10_000;

/** How full a disk is: bytes, or "unlimited" where the server sets no quota. */
const space = {
  freeSpace: z.union([number, name]).optional().catch(undefined),
  capacity: number.optional().catch(undefined),
};

const flag = z.boolean().optional().catch(undefined);
const base64 = z.literal("base64").optional();

/** A file or folder of a computer. */
const FileEntrySchema = z.object({
  path,
  isDir: z.boolean().default(false),
  /** In bytes; folders have none. */
  size: count.optional(),
  /** Milliseconds since 1970; files of the mod have none. */
  modified: number.optional().catch(undefined),
  readOnly: flag,
  /** Changes with the content; see `fileHash`. */
  hash: name.optional(),
});

export type FileEntry = z.infer<typeof FileEntrySchema>;

const ListFilesParamsSchema = z.object({
  path: z.string(),
  recursive: z.boolean().optional(),
  /** `*`, `?` and `**`; without a slash it is about the name alone. */
  glob: z.string().optional(),
  hashes: z.boolean().optional(),
  /** A path that does not exist is an empty list, with `missing`. */
  missingOk: z.boolean().optional(),
  offset: z.int().optional(),
  limit: z.int().optional(),
});

const ListFilesResultSchema = z.object({
  path,
  /** Of all that fit, on this page or not. */
  total: count,
  files: count,
  bytes: number,
  entries: luaArray(FileEntrySchema, MAX_ENTRIES),
  missing: flag,
  /** /rom was left out of a walk that began above it. */
  romSkipped: flag,
  /** There was too much to look at. */
  cut: flag,
  ...space,
});

const ReadFileParamsSchema = z.object({
  path: z.string(),
  startLine: z.int().optional(),
  endLine: z.int().optional(),
  /** Of the first byte, counted from 0; wins over startLine. */
  offset: z.int().optional(),
  maxBytes: z.int().optional(),
  base64: z.boolean().optional(),
});

const ReadFileResultSchema = z.object({
  path,
  /** Of the whole file, as are `hash` and `lines`. */
  size: count,
  hash: name,
  lines: count,
  endings: z.enum(["lf", "crlf", "mixed", "none"]),
  offset: count,
  startLine: count.optional(),
  endLine: count.optional(),
  content: z.string(),
  /** Set when `content` is base64: asked for, or not UTF-8. */
  encoding: base64,
  /** Where the rest of what was asked for begins, when it did not fit. */
  nextOffset: count.optional(),
});

export type ReadFileResult = z.infer<typeof ReadFileResultSchema>;

/** `absent`: there must be no such file yet. */
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
  /** Of both texts. */
  encoding: base64,
  replaceAll: z.boolean().optional(),
});

/** One edit, or several in `edits`: in order, and all of them or none. */
const EditFileParamsSchema = z.object({
  path: z.string(),
  ...EditSchema.partial().shape,
  edits: z.array(EditSchema).optional(),
  expectedHash,
});

const EditFileResultSchema = z.object({
  ...written,
  replaced: z.int(),
  /** The lines where something was replaced, as they were numbered before; the first twenty. */
  lines: luaArray(z.int(), 64),
});

const DeleteFileParamsSchema = z.object({
  path: z.string(),
  recursive: z.boolean().optional(),
  expectedHash,
});

const counts = { files: count, folders: count, ...space };

const DeleteFileResultSchema = z.object({ path, ...counts });

const TransferParamsSchema = z.object({
  from: z.string(),
  /** An existing folder means: into it. */
  to: z.string(),
  overwrite: z.boolean().optional(),
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
  /** `query` is a Lua pattern, tried on each line. */
  pattern: z.boolean().optional(),
  ignoreCase: z.boolean().optional(),
  glob: z.string().optional(),
  context: z.int().optional(),
  /** Matches to pass over. */
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
  /** Files that were looked into, and files that hold data or are too large. */
  searched: count,
  skipped: count,
  /** There are more matches than `limit`. */
  more: flag,
  /** The search took too long and ended early. */
  timedOut: flag,
  romSkipped: flag,
  cut: flag,
});

/** Files of a computer. Paths begin at its root; there is no working directory. */
export const filesMethods = {
  "list-files": { params: ListFilesParamsSchema, result: ListFilesResultSchema },
  "read-file": { params: ReadFileParamsSchema, result: ReadFileResultSchema },
  "write-file": { params: WriteFileParamsSchema, result: WriteFileResultSchema },
  "edit-file": { params: EditFileParamsSchema, result: EditFileResultSchema },
  "delete-file": { params: DeleteFileParamsSchema, result: DeleteFileResultSchema },
  "move-file": { params: TransferParamsSchema, result: TransferResultSchema },
  "copy-file": { params: TransferParamsSchema, result: TransferResultSchema },
  "search-files": { params: SearchFilesParamsSchema, result: SearchFilesResultSchema },
} as const;
