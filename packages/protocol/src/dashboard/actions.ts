import { z } from "zod";
import { filesMethods } from "../methods/files.js";
import { peripheralsMethods } from "../methods/peripherals.js";
import { CallRowSchema, OutcomeSchema } from "./clients.js";
import { ScopeSchema } from "./topics.js";

const key = z.string().min(1).max(1_024);
const jobId = z.string().min(1).max(256);
const path = z.string().min(1).max(1_024);
const done = z.object({});

const ConnectSchema = z.object({
  url: z.string(),
  gameCommand: z.string(),
  allowCommand: z.string(),
  /** The same as a rule for the game's configuration file. */
  addressRule: z.string(),
  /** If so, the configurations contain the placeholder YOUR_TOKEN. */
  needsToken: z.boolean(),
  needsLinkToken: z.boolean(),
  clients: z.array(z.object({ client: z.string(), where: z.string(), text: z.string() })),
});

export const MAX_TRACES = 200;
export const MAX_UNDONE = 100;

const ChangeSchema = z.object({
  id: z.string(),
  time: z.number(),
  client: z.string(),
  tool: z.string(),
  trace: z.string(),
  key,
  provider: z.string(),
  /** Such as `/startup.lua: 120 bytes -> 340 bytes`. */
  what: z.string(),
  /** The change that took it back. */
  undoneBy: z.string().nullable(),
  /** Why it cannot be undone, if it cannot. */
  cannot: z.string().nullable(),
});

export const actions = {
  connect: { params: z.object({}), result: ConnectSchema },
  /** Calls of the past, newest first; `next` of a page as `before` finds earlier ones. */
  "find-calls": {
    params: z.object({
      text: z.string().min(1).max(256).optional(),
      client: z.string().min(1).max(256).optional(),
      key: key.optional(),
      outcome: OutcomeSchema.optional(),
      acts: z.literal(true).optional(),
      until: z.number().optional(),
      before: z.string().max(100).optional(),
    }),
    result: z.object({ calls: z.array(CallRowSchema), next: z.string().nullable() }),
  },
  /** What these calls changed, or the versions of one file; newest first. */
  "find-changes": {
    params: z.union([
      z.strictObject({ traces: z.array(z.string().min(1).max(256)).max(MAX_TRACES) }),
      z.strictObject({ key, path }),
    ]),
    result: z.object({ changes: z.array(ChangeSchema) }),
  },
  /** Takes changes back; unless `sure`, only says what that would do. */
  "undo-changes": {
    params: z.object({
      changes: z.array(z.string().min(1).max(40)).min(1).max(MAX_UNDONE),
      sure: z.boolean(),
      /** Even where something else changed it since. */
      force: z.boolean(),
    }),
    result: z.object({
      undone: z.array(z.string()),
      refused: z.array(z.object({ change: z.string(), why: z.string(), mayForce: z.boolean() })),
      details: z.string(),
    }),
  },
  /** Deletes what is kept of one provider, or of one client. */
  "forget-history": {
    params: z.union([
      z.strictObject({ key }),
      z.strictObject({ client: z.string().min(1).max(256) }),
    ]),
    result: z.object({
      calls: z.number(),
      changes: z.number(),
      events: z.number(),
      jobs: z.number(),
      links: z.number(),
    }),
  },
  "list-files": {
    params: z.object({ key, path }),
    result: filesMethods["list-files"].result,
  },
  "read-file": {
    params: z.object({ key, path }),
    result: z.object({
      path: z.string(),
      size: z.number(),
      /** `absent`: there is no such file. */
      hash: z.string(),
      /** Null when binary or too large. */
      content: z.string().nullable(),
      problem: z.string().nullable(),
    }),
  },
  /** Refused unless the file still has `expectedHash`; `absent` creates a new one. */
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
  input: {
    params: z.object({
      key,
      job: jobId.optional(),
      steps: z.array(z.looseObject({})).min(1).max(100),
    }),
    result: done,
  },
  "run-program": {
    params: z.object({
      key,
      command: z.string().min(1).max(1_024),
      monitor: z.string().min(1).max(256).optional(),
    }),
    result: z.object({ job: z.string() }),
  },
  /** Updates the program of a computer; `text` says what happened. */
  "update-agent": { params: z.object({ key }), result: z.object({ text: z.string() }) },
  "send-message": {
    params: z.object({ key, message: z.string().min(1).max(1_024) }),
    result: done,
  },
  "stop-job": { params: z.object({ job: jobId }), result: done },
  decide: {
    params: z.object({ id: z.string().max(64), decision: z.enum([...ScopeSchema.options, "no"]) }),
    result: done,
  },
  pair: { params: z.object({ code: z.string().max(64), accept: z.boolean() }), result: done },
  /** Grants or rejects capabilities that AI clients requested from web pages. */
  grant: {
    params: z.object({
      id: z.string().max(64),
      capabilities: z.array(z.string().max(128)).min(1).max(64),
      accept: z.boolean(),
    }),
    result: done,
  },
  /** Changes a setting of the topic `settings`; `value` as in the environment. */
  "change-setting": {
    params: z.object({ name: z.string().max(64), value: z.string().max(1_024) }),
    result: done,
  },
  /** Takes the approval of a computer back, and ends its link. */
  "revoke-approval": { params: z.object({ key }), result: done },
  "remove-alert": { params: z.object({ id: z.string().max(64) }), result: done },
  "revoke-permission": { params: z.object({ id: z.string().max(64) }), result: done },
  /** The only answer that contains the token. */
  "create-token": {
    params: z.object({
      name: z.string().min(1).max(64),
      mode: z.enum(["look", "ask", "all"]),
      tools: z.string().max(1_024).optional(),
      computers: z.string().max(1_024).optional(),
      until: z.string().max(32).optional(),
    }),
    result: z.object({ token: z.string() }),
  },
  "revoke-token": { params: z.object({ name: z.string().max(64) }), result: done },
  "end-session": { params: z.object({ id: z.string().max(64) }), result: done },
  "watch-events": {
    params: z.object({ key, name: z.string().min(1).max(128), on: z.boolean() }),
    result: done,
  },
} as const;

export type ActionName = keyof typeof actions;
export type ActionParams<A extends ActionName> = z.input<(typeof actions)[A]["params"]>;
export type ActionResult<A extends ActionName> = z.output<(typeof actions)[A]["result"]>;
