import { z } from "zod";
import { ScreenSchema } from "../link/screen.js";
import { CallRowSchema, SessionRowSchema, unseen } from "./clients.js";
import { ClusterSchema } from "./cluster.js";

const key = z.string().min(1).max(1_024);
const jobId = z.string().min(1).max(256);
const time = z.number();

const FleetRowSchema = z.object({
  key,
  /** What sort of provider: computers say which, others have their kind's noun. */
  kind: z.string().max(64),
  name: z.string(),
  id: z.number().nullable(),
  label: z.string().nullable(),
  world: z.string().nullable(),
  state: z.enum(["live", "unresponsive", "away"]),
  linkedAt: time.nullable(),
  /** Not updated while the provider is linked. */
  lastSeenAt: time.nullable(),
  runningJobs: z.number(),
  advanced: z.boolean().nullable(),
  program: z.string().nullable(),
  /** What its player allows, in words; null for everything. */
  lock: z.string().nullable(),
  /** Where a turtle that is away was last. */
  place: z.object({ x: z.number(), y: z.number(), z: z.number() }).nullable(),
  /** The other bridge of the cluster that it is linked to; null for this bridge. */
  bridge: z.string().nullable(),
});

export type FleetRow = z.infer<typeof FleetRowSchema>;

const OfferedSchema = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  /** Whether clients see it in their list; otherwise they find it with list-offered-tools. */
  listed: z.boolean(),
  /** Capabilities that are not granted: no client can call it until they are. */
  missing: z.array(z.string()),
});

const TurtleFactsSchema = z.object({
  key,
  fuel: z.union([z.number(), z.literal("unlimited")]).nullable(),
  fuelLimit: z.union([z.number(), z.literal("unlimited")]).nullable(),
  position: z.object({ x: z.number(), y: z.number(), z: z.number() }).nullable(),
  facing: z.enum(["north", "east", "south", "west"]).nullable(),
  certain: z.boolean(),
});

export type TurtleFacts = z.infer<typeof TurtleFactsSchema>;

const JobRowSchema = z.object({
  id: jobId,
  method: z.string(),
  /** Null for a job of an earlier bridge. */
  summary: z.string().nullable(),
  isProgram: z.boolean(),
  state: z.string(),
  ended: z.boolean(),
  stopping: z.boolean(),
  createdAt: time,
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  /** Explains the final state where the state alone does not. */
  note: z.string().nullable(),
  mayStop: z.boolean(),
  progress: z.string().nullable(),
  trace: z.string().nullable(),
});

export type JobRow = z.infer<typeof JobRowSchema>;

const ShownScreenSchema = z.object({
  job: jobId.nullable(),
  screen: ScreenSchema.nullable(),
  ended: z.boolean(),
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

const SampleSchema = z.object({
  at: time,
  callsPerSecond: z.number(),
  /** Latency of recent calls in milliseconds; null without calls. */
  p50: z.number().nullable(),
  p99: z.number().nullable(),
  links: z.number(),
  sessions: z.number(),
  /** Resident set size in bytes. */
  memory: z.number(),
});

export type Sample = z.infer<typeof SampleSchema>;

const HistoryStatusSchema = z.object({
  keptIn: z.enum(["memory", "node:sqlite", "libsql"]),
  /** Why nothing is saved, although it should be. */
  trouble: z.string().nullable(),
});

export const ScopeSchema = z.enum(["call", "tool", "targets"]);

const WaitingSchema = z.object({
  approvals: z.array(
    z.object({
      id: z.string(),
      at: time,
      client: z.string(),
      tool: z.string(),
      trace: z.string(),
      targets: z.array(z.string()),
      question: z.string(),
      /** The complete code or text that would run or be written. */
      subject: z.string(),
      choices: z.array(z.object({ value: ScopeSchema, title: z.string() })),
    }),
  ),
  pairings: z.array(
    z.object({
      code: z.string(),
      showsCode: z.boolean(),
      at: time,
      computerId: z.number(),
      label: z.string().nullable(),
      world: z.string().nullable(),
      address: z.string(),
      replaces: z.boolean(),
    }),
  ),
  capabilities: z.array(
    z.object({
      id: z.string(),
      at: time,
      clients: z.array(z.string()),
      pages: z.array(z.string()),
      capabilities: z.array(z.object({ name: z.string(), risk: z.string() })),
    }),
  ),
});

const PermissionSchema = z.object({
  id: z.string(),
  client: z.string(),
  /** Null for every change on the targets. */
  tool: z.string().nullable(),
  targets: z.array(z.string()),
  until: time,
  grantedBy: z.string(),
});

const AlertsSchema = z.object({
  alerts: z.array(
    z.object({
      id: z.string(),
      client: z.string(),
      what: z.string(),
      until: time,
      times: z.number(),
      fired: z.number(),
      /** Why it may miss events. */
      trouble: z.string().nullable(),
    }),
  ),
  /** The last deliveries, the newest last. */
  fired: z.array(
    z.object({
      id: z.string(),
      alert: z.string(),
      client: z.string(),
      at: time,
      text: z.string(),
      key,
      /** What was not reached, and why. */
      problems: z.array(z.string()),
    }),
  ),
});

const TokenSchema = z.object({
  name: z.string(),
  mode: z.enum(["look", "ask", "all"]),
  /** The limits beside mode and end, as in the token file. */
  rights: z.string(),
  until: time.nullable(),
  isExpired: z.boolean(),
  /** Null: not since the bridge started. */
  usedAt: time.nullable(),
  /** False for a token of the settings. */
  mayRevoke: z.boolean(),
});

const LiveSettingSchema = z.object({
  name: z.string(),
  value: z.string(),
  default: z.string(),
  /** It cannot be changed here: the command line or the environment states it. */
  isFixed: z.boolean(),
});

export type LiveSetting = z.infer<typeof LiveSettingSchema>;

const ApprovedSchema = z.object({
  key,
  name: z.string(),
  world: z.string().nullable(),
  /** Null for a computer that proves with a secret that it is the same. */
  address: z.string().nullable(),
  at: time,
  by: z.string(),
});

const SlotSchema = z.object({ slot: z.number(), name: z.string(), count: z.number() });

export const MAX_SEEN_TURTLES = 64;

/** The first data is a snapshot. Slow viewers get fewer, newer states, never a backlog. */
export const topics = {
  /** Linked and remembered providers. The first data is `full`; later ones contain changes. */
  fleet: {
    params: z.object({}),
    data: z.object({
      full: z.boolean(),
      rows: z.array(FleetRowSchema),
      gone: z.array(key),
    }),
  },
  turtles: {
    params: z.object({ keys: z.array(key).max(MAX_SEEN_TURTLES) }),
    data: z.object({ turtles: z.array(TurtleFactsSchema) }),
  },
  jobs: {
    params: z.object({ key }),
    data: z.object({ jobs: z.array(JobRowSchema) }),
  },
  /** What a provider offers, and what of it cannot be offered. */
  offers: {
    params: z.object({ key }),
    data: z.object({
      tools: z.array(OfferedSchema),
      leftOut: z.array(z.object({ tool: z.string(), problem: z.string() })),
      /** Calls from before were answered by another page, which had the same key. */
      since: time,
    }),
  },
  /** What runs and what went wrong, on all providers. */
  work: {
    params: z.object({}),
    data: z.object({ jobs: z.array(JobRowSchema.extend({ key, linked: z.boolean() })) }),
  },
  /** What a Minecraft server says about itself. */
  server: {
    params: z.object({ key }),
    data: z.object({
      version: z.string().nullable(),
      players: z.array(z.string()),
      maxPlayers: z.number().nullable(),
      tps: z.number().nullable(),
      weather: z.string().nullable(),
      timeOfDay: z.number().nullable(),
      /** Why it does not say. */
      problem: z.string().nullable(),
    }),
  },
  output: {
    params: z.object({ job: jobId }),
    data: z.object({
      text: z.string(),
      /** Characters before this text that were dropped. */
      skipped: z.number(),
      ended: z.boolean(),
      result: z.string().nullable(),
    }),
  },
  /** A program's screen, or the one that read-screen would return. */
  screen: {
    params: z.object({ key, job: jobId.optional() }),
    data: ShownScreenSchema,
  },
  events: {
    params: z.object({ key }),
    data: z.object({
      events: z.array(ShownEventSchema),
      skipped: z.number(),
      watches: z.array(z.string()),
      others: z.array(z.string()),
    }),
  },
  activity: {
    params: z.object({}),
    data: z.object({ full: z.boolean(), calls: z.array(CallRowSchema), unseen }),
  },
  waiting: { params: z.object({}), data: WaitingSchema },
  permissions: {
    params: z.object({}),
    data: z.object({ permissions: z.array(PermissionSchema) }),
  },
  /** Alerts and their last deliveries: of all clients for an owner, otherwise the own ones. */
  alerts: { params: z.object({}), data: AlertsSchema },
  /** The tokens of MCP clients, without the tokens themselves. */
  tokens: {
    params: z.object({}),
    data: z.object({
      file: z.string(),
      /** Why tokens cannot be created here, and what to do about it. */
      advice: z.string().nullable(),
      tokens: z.array(TokenSchema),
    }),
  },
  settings: {
    params: z.object({}),
    data: z.object({
      /** The file where changes are kept; null: they last until the bridge stops. */
      keptIn: z.string().nullable(),
      settings: z.array(LiveSettingSchema),
      /** Groups of tools, with their tools. */
      groups: z.array(z.object({ name: z.string(), tools: z.array(z.string()) })),
    }),
  },
  /** Approved computers, latest first; `total` counts those beyond the list too. */
  approved: {
    params: z.object({}),
    data: z.object({ computers: z.array(ApprovedSchema), total: z.number() }),
  },
  clients: {
    params: z.object({}),
    data: z.object({ sessions: z.array(SessionRowSchema), unseen }),
  },
  numbers: {
    params: z.object({}),
    data: z.object({ samples: z.array(SampleSchema), history: HistoryStatusSchema }),
  },
  /** The bridges that work together with this one; null for one that works alone by its settings. */
  cluster: { params: z.object({}), data: z.object({ cluster: ClusterSchema.nullable() }) },
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
