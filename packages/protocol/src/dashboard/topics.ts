import { z } from "zod";
import { ScreenSchema } from "../link/screen.js";

const key = z.string().min(1).max(1_024);
const jobId = z.string().min(1).max(256);
const time = z.number();

const FleetRowSchema = z.object({
  key,
  kind: z.enum(["computer", "turtle", "pocket", "command", "page", "server"]),
  /** What to call it in a sentence. */
  name: z.string(),
  /** The number of a computer in its world. */
  id: z.number().nullable(),
  label: z.string().nullable(),
  world: z.string().nullable(),
  state: z.enum(["live", "unresponsive", "away"]),
  linkedAt: time.nullable(),
  /** Not kept up to date for a live one: it was just heard from. */
  lastSeenAt: time.nullable(),
  runningJobs: z.number(),
  advanced: z.boolean().nullable(),
});

export type FleetRow = z.infer<typeof FleetRowSchema>;

/** A turtle as a list shows it. */
const TurtleFactsSchema = z.object({
  key,
  fuel: z.union([z.number(), z.literal("unlimited")]).nullable(),
  fuelLimit: z.union([z.number(), z.literal("unlimited")]).nullable(),
  position: z.object({ x: z.number(), y: z.number(), z: z.number() }).nullable(),
  facing: z.enum(["north", "east", "south", "west"]).nullable(),
  /** False when it may have been moved by others. */
  certain: z.boolean(),
});

export type TurtleFacts = z.infer<typeof TurtleFactsSchema>;

const JobRowSchema = z.object({
  id: jobId,
  method: z.string(),
  /** What it does, in a few words. Null for a job of an earlier bridge. */
  summary: z.string().nullable(),
  state: z.string(),
  ended: z.boolean(),
  /** Whether it was told to stop. */
  stopping: z.boolean(),
  createdAt: time,
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  /** Why it has its final state, where the state alone does not say. */
  note: z.string().nullable(),
  /** Whether the computer can stop it. */
  mayStop: z.boolean(),
  progress: z.string().nullable(),
  /** The call that started it, as in the log, the audit and the activity. */
  trace: z.string().nullable(),
});

export type JobRow = z.infer<typeof JobRowSchema>;

const ShownScreenSchema = z.object({
  /** The program whose screen it is; null for the computer's own. */
  job: jobId.nullable(),
  screen: ScreenSchema.nullable(),
  /** Whether the program is over: this is what it showed last. */
  ended: z.boolean(),
  /** Why there is no screen to see. */
  problem: z.string().nullable(),
});

export type ShownScreen = z.infer<typeof ShownScreenSchema>;

const ShownEventSchema = z.object({
  seq: z.number(),
  time,
  name: z.string(),
  args: z.array(z.unknown()),
});

export type ShownEvent = z.infer<typeof ShownEventSchema>;

const CallRowSchema = z.object({
  id: z.number(),
  at: time,
  /** The name of the client's token, and what its program says it is. */
  client: z.string(),
  software: z.string().nullable(),
  session: z.string(),
  tool: z.string(),
  /** Whether the tool may change anything. */
  acts: z.boolean(),
  /** The arguments, cut to their beginnings. */
  request: z.record(z.string(), z.unknown()),
  providers: z.array(z.string()),
  keys: z.array(z.string()),
  job: z.string().nullable(),
  /** Who said yes, where somebody was asked. */
  approvedBy: z.string().nullable(),
  /** The same in the log, the audit, the job and the frames to the provider. */
  trace: z.string(),
  /** Whether it waits for a person. */
  waits: z.boolean(),
  /** Null while it waits or runs. "asked": its client was given a question and calls again. */
  outcome: z.enum(["ok", "error", "refused", "asked"]).nullable(),
  durationMs: z.number().nullable(),
  /** The beginning of the answer. */
  answer: z.string().nullable(),
});

export type CallRow = z.infer<typeof CallRowSchema>;

const SessionRowSchema = z.object({
  /** Tells sessions apart; the session's id cannot be had from it. */
  id: z.string(),
  client: z.string(),
  software: z.string().nullable(),
  /** The version of MCP that it speaks. */
  protocol: z.string().nullable(),
  /** Whether it can be ended: clients of the newest version have no session. */
  mayEnd: z.boolean(),
  usedAt: time,
  openCalls: z.number(),
  lastTool: z.string().nullable(),
});

export type SessionRow = z.infer<typeof SessionRowSchema>;

const SampleSchema = z.object({
  at: time,
  callsPerSecond: z.number(),
  /** Of the calls of the last seconds, in milliseconds; null when there were none. */
  p50: z.number().nullable(),
  p99: z.number().nullable(),
  links: z.number(),
  sessions: z.number(),
  /** Resident, in bytes. */
  memory: z.number(),
});

export type Sample = z.infer<typeof SampleSchema>;

/** What a person allows: one call, a tool on its targets for an hour, or every change on them for an hour. */
export const ScopeSchema = z.enum(["call", "tool", "targets"]);

const WaitingSchema = z.object({
  /** Calls that wait for a yes. */
  approvals: z.array(
    z.object({
      id: z.string(),
      at: time,
      client: z.string(),
      tool: z.string(),
      /** The same as in the log, the audit and the activity. */
      trace: z.string(),
      /** The names of all that it acts on. */
      targets: z.array(z.string()),
      question: z.string(),
      /** All that would run or be written. */
      subject: z.string(),
      /** What a person may allow, the narrowest first. */
      choices: z.array(z.object({ value: ScopeSchema, title: z.string() })),
    }),
  ),
  /** Computers that wait for approval. */
  pairings: z.array(
    z.object({
      /** Names it here. Its screen shows the code too, if `showsCode`. */
      code: z.string(),
      showsCode: z.boolean(),
      at: time,
      computerId: z.number(),
      label: z.string().nullable(),
      world: z.string().nullable(),
      address: z.string(),
      /** Whether one of this identity is approved already. */
      replaces: z.boolean(),
    }),
  ),
  /** What AI clients asked of web pages. */
  capabilities: z.array(
    z.object({
      /** The session of pages; its real name cannot be had from it. */
      id: z.string(),
      at: time,
      pages: z.array(z.string()),
      capabilities: z.array(z.object({ name: z.string(), risk: z.string() })),
    }),
  ),
});

const PermissionSchema = z.object({
  id: z.string(),
  /** The name of the client's token. */
  client: z.string(),
  /** Null for every change on the targets. */
  tool: z.string().nullable(),
  /** The names of what it is for; empty for a tool that acts on no provider. */
  targets: z.array(z.string()),
  until: time,
  grantedBy: z.string(),
});

const SlotSchema = z.object({ slot: z.number(), name: z.string(), count: z.number() });

/** Turtles whose facts one page may watch at once: as many as its list shows. */
export const MAX_SEEN_TURTLES = 64;

/**
 * What a page can watch: its parameters and its data. The first data is complete. A viewer that reads
 * slowly gets fewer and newer states, never a backlog.
 */
export const topics = {
  /** Everybody who is linked or was. The first data is `full`; later ones name what changed. */
  fleet: {
    params: z.object({}),
    data: z.object({
      full: z.boolean(),
      rows: z.array(FleetRowSchema),
      /** Keys of those that are forgotten. */
      gone: z.array(key),
    }),
  },
  /** Fuel and place of the turtles that a list shows. */
  turtles: {
    params: z.object({ keys: z.array(key).max(MAX_SEEN_TURTLES) }),
    data: z.object({ turtles: z.array(TurtleFactsSchema) }),
  },
  /** The jobs of one provider, newest first. */
  jobs: {
    params: z.object({ key }),
    data: z.object({ jobs: z.array(JobRowSchema) }),
  },
  /** The output of one job as it comes. */
  output: {
    params: z.object({ job: jobId }),
    data: z.object({
      text: z.string(),
      /** Characters before this text that are not shown: too many came, or they are not kept. */
      skipped: z.number(),
      ended: z.boolean(),
      /** What the job answered, as text, when it has ended. */
      result: z.string().nullable(),
    }),
  },
  /** A screen: that of a program, or the one that read-screen would show. */
  screen: {
    params: z.object({ key, job: jobId.optional() }),
    data: ShownScreenSchema,
  },
  /** Events of one provider, the last ones first known, then as they come. */
  events: {
    params: z.object({ key }),
    data: z.object({
      events: z.array(ShownEventSchema),
      /** Events that were passed over because too many came. */
      skipped: z.number(),
      /** What this page asks the computer to send, and what others do. */
      watches: z.array(z.string()),
      others: z.array(z.string()),
    }),
  },
  /** The calls of all clients: the last ones first, then each that begins or ends. */
  activity: {
    params: z.object({}),
    data: z.object({ full: z.boolean(), calls: z.array(CallRowSchema) }),
  },
  /** What waits for a person. */
  waiting: { params: z.object({}), data: WaitingSchema },
  /** What people allowed clients for an hour. */
  permissions: {
    params: z.object({}),
    data: z.object({ permissions: z.array(PermissionSchema) }),
  },
  /** The MCP sessions. */
  clients: { params: z.object({}), data: z.object({ sessions: z.array(SessionRowSchema) }) },
  /** The last minutes in numbers. */
  numbers: { params: z.object({}), data: z.object({ samples: z.array(SampleSchema) }) },
  /** One turtle, and where it has been. */
  turtle: {
    params: z.object({ key }),
    data: TurtleFactsSchema.extend({
      note: z.string().nullable(),
      selected: z.number(),
      slots: z.array(SlotSchema),
      running: z.boolean(),
      trail: z.array(z.object({ x: z.number(), y: z.number(), z: z.number() })),
    }),
  },
} as const;

export type TopicName = keyof typeof topics;
export type TopicParams<T extends TopicName> = z.input<(typeof topics)[T]["params"]>;
export type TopicData<T extends TopicName> = z.output<(typeof topics)[T]["data"]>;
