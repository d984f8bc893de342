import { z } from "zod";
import { filesMethods } from "../methods/files.js";
import { peripheralsMethods } from "../methods/peripherals.js";
import { ScopeSchema } from "./topics.js";

const key = z.string().min(1).max(1_024);
const jobId = z.string().min(1).max(256);
const path = z.string().min(1).max(1_024);
const done = z.object({});

const ConnectSchema = z.object({
  /** Where MCP clients connect. */
  url: z.string(),
  /** The line to type on a computer in the game. */
  gameCommand: z.string(),
  /** The line that lets computers reach this bridge, for a shell. */
  allowCommand: z.string(),
  /** The rule that does the same, for the game's configuration file. */
  addressRule: z.string(),
  /** Whether clients need a token. The configurations then hold YOUR_TOKEN. */
  needsToken: z.boolean(),
  needsLinkToken: z.boolean(),
  clients: z.array(z.object({ client: z.string(), where: z.string(), text: z.string() })),
});

/** What a page can do or ask for once: its parameters and the answer. */
export const actions = {
  /** How computers and clients connect to this bridge. */
  connect: { params: z.object({}), result: ConnectSchema },
  "list-files": {
    params: z.object({ key, path }),
    result: filesMethods["list-files"].result,
  },
  /** A whole file, up to a megabyte. */
  "read-file": {
    params: z.object({ key, path }),
    result: z.object({
      path: z.string(),
      size: z.number(),
      hash: z.string(),
      /** Null for a file that is not text, or too large. */
      content: z.string().nullable(),
      problem: z.string().nullable(),
    }),
  },
  /** Refused when the file no longer has the `expectedHash`; `absent` means a new one. */
  "write-file": {
    params: z.object({ key, path, content: z.string(), expectedHash: z.string().max(256) }),
    result: z.object({ hash: z.string(), size: z.number() }),
  },
  "delete-file": {
    params: z.object({ key, path, expectedHash: z.string().max(256) }),
    result: done,
  },
  peripherals: {
    params: z.object({ key }),
    result: peripheralsMethods["list-peripherals"].result,
  },
  inventories: { params: z.object({ key }), result: peripheralsMethods["list-inventory"].result },
  /** Hands keys, clicks and text to a program, or to the shared prompt. */
  input: {
    params: z.object({
      key,
      job: jobId.optional(),
      /** As the tool send-input takes them. */
      steps: z.array(z.looseObject({})).min(1).max(100),
    }),
    result: done,
  },
  /** Starts a program in a terminal of its own. */
  "run-program": {
    params: z.object({
      key,
      command: z.string().min(1).max(1_024),
      /** Show it on this monitor too, in the monitor's size. */
      monitor: z.string().min(1).max(256).optional(),
    }),
    result: z.object({ job: z.string() }),
  },
  "stop-job": { params: z.object({ job: jobId }), result: done },
  /** Answers a call that waits for a yes. */
  decide: {
    params: z.object({ id: z.string().max(64), decision: z.enum([...ScopeSchema.options, "no"]) }),
    result: done,
  },
  /** Approves the computer that waits with this code, or takes it off the list. */
  pair: { params: z.object({ code: z.string().max(64), accept: z.boolean() }), result: done },
  /** Grants what AI clients asked of the web pages of a session, or takes it off the list. */
  grant: {
    params: z.object({
      id: z.string().max(64),
      capabilities: z.array(z.string().max(128)).min(1).max(64),
      accept: z.boolean(),
    }),
    result: done,
  },
  /** Ends something that a person allowed for an hour. */
  "revoke-permission": { params: z.object({ id: z.string().max(64) }), result: done },
  "end-session": { params: z.object({ id: z.string().max(64) }), result: done },
  /** Asks a computer to send events of one more name, or to end that. */
  "watch-events": {
    params: z.object({ key, name: z.string().min(1).max(128), on: z.boolean() }),
    result: done,
  },
} as const;

export type ActionName = keyof typeof actions;
export type ActionParams<A extends ActionName> = z.input<(typeof actions)[A]["params"]>;
export type ActionResult<A extends ActionName> = z.output<(typeof actions)[A]["result"]>;
