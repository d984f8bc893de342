import { fileHash } from "@ccbridge/protocol";
import {
  BatchResultSchema,
  BlocksChangedSchema,
  CommandResultSchema,
  eventTypes,
  FoundBlocksSchema,
  PlayerInfoSchema,
  ServerInfoSchema,
  toolNames,
  WorldInfoSchema,
} from "@ccbridge/protocol/minecraft";
import { examples } from "../../../../../apps/bridge/test/docs/examples.js";
import { answerTo, FREE, jobResult, type Scene, sampleOf } from "./scene.js";

export interface Row {
  args: object;
  scene?: Partial<Scene>;
  twin?: object;
  isAway?: boolean;
  before?: [tool: string, args: object][];
}

const one = { computerId: 1 };
const job = { jobId: "" };

export const events = [{ type: "event", seq: 0, name: FREE, args: [FREE, { [FREE]: [FREE] }, 7] }];
const watched: Pick<Row, "before" | "scene"> = {
  before: [["watch-events", { ...one, events: ["*"] }]],
  scene: { events },
};

const lua: Partial<Scene> = {
  output: FREE,
  answers: {
    "exec-lua": jobResult,
    "run-program": jobResult,
    "turtle-run": jobResult,
    "move-items": jobResult,
    "call-tool": jobResult,
  },
};
const running: Partial<Scene> = {
  output: FREE,
  progress: { progress: 1, total: 2, message: FREE },
  staysRunning: true,
};
const started = (tool = "exec-lua", more: object = { code: "go" }): [string, object][] => [
  [tool, { ...one, ...more, waitMs: 0 }],
];
const ended = (tool = "exec-lua", more: object = { code: "go" }): [string, object][] => [
  [tool, { ...one, ...more }],
];

const tools = {
  tools: [
    {
      name: "open",
      description: FREE,
      inputSchema: {
        type: "object",
        description: FREE,
        properties: { side: { type: "string", description: FREE, enum: [FREE, "left"] } },
        required: ["side"],
      },
    },
    { name: "odd", inputSchema: { properties: { [`§ ${FREE}`]: {}, "not usable": {} } } },
  ],
  broken: [{ file: FREE, problem: FREE }],
};

const page = {
  site: FREE,
  tools: [{ name: "look", description: FREE, inputSchema: { type: "object", description: FREE } }],
};

export const server = {
  hello: {
    agent: { name: FREE, version: FREE },
    game: { software: FREE, version: FREE },
    route: FREE,
    capabilities: {
      tools: [...toolNames, FREE],
      events: [...eventTypes, FREE],
      notes: { get_player_info: FREE },
    },
  },
  events: [{ eventType: "player_chat" as const, data: { player: FREE, message: FREE } }],
};
const unable = {
  hello: { capabilities: { tools: [], events: [], notes: { get_world_info: FREE, [FREE]: FREE } } },
  events: [],
};

const onServer = (args: object, answers: Record<string, unknown> = {}): Row => ({
  args,
  scene: { server, answers },
});

const counts = { total: 1, files: 1, bytes: 1 };
const folder = {
  ...counts,
  path: "/dir",
  entries: [{ path: `/dir/a:b/${FREE}`, size: 1, hash: "1-1" }],
};
const empty = { ...counts, path: `/${FREE}`, entries: [] };
const file = { ...counts, path: "/a", entries: [{ path: "/a", size: 1 }] };
const bell = { ...(answerTo("read-file") as object), content: `\u0007${FREE}` };
const screen = { waiting: 1, screen: { cells: FREE } };
const whole = { content: "abc", hash: fileHash(new TextEncoder().encode("abc")) };
const readWhole = { path: FREE, size: 3, lines: 1, endings: "lf", offset: 0, ...whole };

const changed: Partial<Scene> = {
  changed: [
    {
      ...{ id: "1-1", time: 1_000, provider: "computer 1", client: FREE, trace: "t1", job: null },
      ...{ tool: FREE, what: "file", subject: FREE, before: { size: 3, hash: `x ${FREE}` } },
      ...{ after: { absent: true }, content: "hash", cannot: null, isDone: true },
      ...{ undoes: [], undoneBy: null },
    },
    {
      ...{ id: "1-2", time: 2_000, provider: "computer 1", client: FREE, trace: "t2", job: "j" },
      ...{ tool: FREE, what: FREE, subject: FREE, before: { [FREE]: FREE }, after: null },
      ...{ content: null, cannot: FREE, isDone: false, undoes: ["1-1"], undoneBy: null },
    },
    {
      ...{ id: "1-3", time: 3_000, provider: "computer 1", client: FREE, trace: "t3", job: null },
      ...{ tool: FREE, what: "setting", subject: `${FREE}.${FREE}`, isDone: true, undoneBy: null },
      ...{ before: { values: '["x"]' }, after: { values: '["y"]' }, undoes: [] },
      ...{ content: null, cannot: null },
    },
    {
      ...{ id: "1-4", time: 4_000, provider: "computer 1", client: FREE, trace: "t4", job: null },
      ...{ tool: FREE, what: "items", subject: FREE, isDone: true, undoes: [], undoneBy: null },
      ...{ before: { item: FREE, in: FREE, count: 2 }, after: { item: FREE, in: FREE, count: 2 } },
      ...{ content: null, cannot: null },
    },
  ],
};

const past: Partial<Scene> = {
  history: {
    entries: [
      {
        ...{ what: "call", cursor: "3-0-1", time: 3, id: 1, trace: "t1", session: "s1", job: null },
        ...{
          client: FREE,
          software: FREE,
          tool: FREE,
          acts: true,
          subject: FREE,
          outcome: "error",
        },
        ...{ durationMs: 1, approvedBy: FREE, args: { [FREE]: FREE }, answer: FREE, targets: [] },
      },
      {
        ...{ what: "event", cursor: "2-1-1-1", time: 2, key: "computer 1", provider: "computer 1" },
        ...{ seq: 1, name: FREE, args: [FREE, { [FREE]: FREE }] },
      },
      {
        ...{ what: "link", cursor: "1-2-1", time: 1, key: "computer 1", provider: "computer 1" },
        ...{ change: "unlinked", reason: FREE },
      },
    ],
    changes: [
      {
        ...{ key: "computer 1", provider: "computer 1", tool: FREE, subject: FREE, outcome: "ok" },
        ...{ times: 2, last: 1, clients: [FREE] },
      },
    ],
  },
};

const alerts: Partial<Scene> = {
  alerts: {
    alert: {
      ...{ id: "1a", createdAt: 0, fired: 1, times: 2, everyMs: 1_000, until: 0, event: FREE },
      ...{ filter: { [FREE]: FREE }, message: FREE, webhook: "https://ntfy.sh/x" },
      chat: { to: FREE, by: { key: "minecraft a", name: "server a", kind: "minecraft" } },
      screen: { on: { key: "1", name: "computer 1", kind: "computer" }, monitor: FREE },
    },
    fired: {
      ...{ at: 0, alert: "1a", client: FREE, provider: { key: "1", name: "computer 1" } },
      ...{ text: FREE, problems: [FREE] },
    },
  },
};

export const rows: Record<string, Row[]> = {
  "list-computers": [
    { args: {}, before: started(), scene: { ...running, tools } },
    { args: {}, before: [["exec-lua", { ...one, code: "a: b", waitMs: 0 }]], scene: running },
  ],
  "probe-computers": [
    { args: {} },
    { args: {}, scene: { answers: { ping: `pong from 1 (Label: ${FREE})` } } },
  ],
  "exec-lua": [
    { args: { ...one, code: "go" }, scene: lua },
    { args: { ...one, code: "go", waitMs: 0 }, scene: running },
    { args: { computerId: "all", code: "go" }, scene: lua },
    { args: { computerId: "all", code: "go", dryRun: true } },
    { args: { computerId: 99, code: "go" } },
    { args: { ...one, code: "go" }, twin: { computerId: 1, instance: "two" } },
    { args: { ...one, code: "go" }, isAway: true },
  ],
  "get-job": [
    { args: job, before: started(), scene: running },
    { args: job, before: ended(), scene: lua },
  ],
  "cancel-job": [
    { args: job, before: started(), scene: running },
    { args: job, before: ended(), scene: lua },
  ],
  "list-jobs": [{ args: {}, before: started(), scene: running }],
  "read-file": [
    { args: { ...one, path: "/a" }, scene: { answers: { "read-file": bell } } },
    { args: { ...one, path: ["/a", "/b"] }, scene: { answers: { "read-file": bell } } },
  ],
  "copy-file": [
    { args: { ...one, from: "/a", to: "/b" } },
    {
      args: { ...one, from: "/a", to: "/b", toComputer: 2, overwrite: true },
      scene: { answers: { "list-files": file, "read-file": readWhole } },
    },
    {
      args: { ...one, from: "/a", to: "/b", toComputer: 2 },
      scene: { answers: { "list-files": folder } },
    },
    {
      args: { ...one, from: "/a", to: "/b", toComputer: 2 },
      scene: { answers: { "list-files": empty } },
    },
  ],
  "search-files": [{ args: { ...one, query: "x" } }, { args: { ...one, query: "x", context: 1 } }],
  "sync-folder": [
    {
      args: { ...one, folder: "scripts", computerPath: "/x", direction: "to-computer" },
      scene: { answers: { "list-files": folder } },
    },
    {
      args: {
        ...{ ...one, folder: "scripts", computerPath: "/x", direction: "from-computer" },
        dryRun: false,
      },
      scene: { answers: { "list-files": folder } },
    },
    {
      args: { ...one, folder: "scripts", computerPath: "/x", direction: "to-computer" },
      scene: { answers: { "list-files": empty } },
    },
  ],
  "list-peripherals": [{ args: one }, { args: { ...one, type: "monitor" } }],
  "call-peripheral": [
    { args: { ...one, calls: [{ name: "left", method: "size" }] } },
    {
      args: { ...one, calls: [{ name: "left", method: "size" }] },
      scene: { answers: { "call-peripheral": { results: [{ ok: false, error: FREE }] } } },
    },
    {
      args: { ...one, calls: [{ name: "left", method: "size" }] },
      scene: {
        answers: { "call-peripheral": { results: [{ ok: true, returns: jobResult.returns }] } },
      },
    },
  ],
  "list-inventory": [
    { args: one },
    { args: { ...one, names: ["chest"] } },
    {
      args: one,
      scene: {
        answers: {
          "list-inventory": {
            inventories: [
              { name: FREE, types: [FREE], slots: [{ slot: 1, name: FREE, count: 1, nbt: FREE }] },
            ],
          },
        },
      },
    },
  ],
  "move-items": [{ args: { ...one, item: "coal", to: "chest" }, scene: lua }],
  redstone: [{ args: one }],
  "turtle-status": [{ args: one }, { args: { computerId: "all" } }],
  "turtle-run": [
    { args: { ...one, steps: ["forward"] }, scene: lua },
    { args: { ...one, steps: ["forward"], dryRun: true } },
    {
      args: { ...one, steps: ["goto 1 2 3"] },
      scene: {
        answers: {
          "turtle-status": {
            certain: false,
            note: FREE,
            fuel: 1,
            selected: 1,
            slots: [],
            running: false,
          },
        },
      },
    },
  ],
  "run-program": [
    { args: { ...one, command: "ls" }, scene: lua },
    { args: { ...one, command: "ls", waitMs: 0 }, scene: running },
  ],
  "read-screen": [
    { args: one, scene: { answers: { "read-screen": screen } } },
    { args: { ...one, colours: true }, scene: { answers: { "read-screen": screen } } },
    { args: job, before: started("run-program", { command: "ls" }), scene: running },
    { args: job, before: ended("run-program", { command: "ls" }), scene: lua },
  ],
  "send-input": [
    { args: { ...one, steps: [{ key: "enter" }] } },
    {
      args: { ...job, steps: [{ key: "enter" }] },
      before: started("run-program", { command: "ls" }),
      scene: running,
    },
    {
      args: { ...job, steps: [{ key: "enter" }] },
      before: ended("run-program", { command: "ls" }),
      scene: lua,
    },
  ],
  "get-events": [{ args: one, ...watched }],
  "wait-for-event": [{ args: { ...one, name: "*", cursor: 0, waitMs: 20 }, ...watched }],
  "list-servers": [onServer({}), { args: {}, scene: { server: unable } }],
  execute_command: [
    onServer({ command: "say" }, { execute_command: sampleOf(CommandResultSchema) }),
    onServer({ command: "say" }, { execute_command: FREE }),
  ],
  execute_commands: [
    onServer({ commands: ["say"] }, { execute_commands: sampleOf(BatchResultSchema) }),
  ],
  set_blocks: [
    onServer({ blocks: ["1 2 3 stone"] }, { set_blocks: sampleOf(BlocksChangedSchema) }),
  ],
  fill_blocks: [
    onServer(
      { from: "1 2 3", to: "2 2 3", block: "stone", dryRun: true },
      { fill_blocks: sampleOf(BlocksChangedSchema) },
    ),
  ],
  find_blocks: [
    onServer(
      { from: "1 2 3", to: "2 2 3", block: "stone" },
      { find_blocks: sampleOf(FoundBlocksSchema) },
    ),
  ],
  send_message: [onServer({ message: "hi" })],
  teleport_player: [onServer({ player: "Steve", x: 1, y: 2, z: 3 })],
  give_item: [onServer({ player: "Steve", item: "bread", quantity: 1 })],
  get_online_players: [onServer({}, { get_online_players: [FREE, "Steve"] })],
  get_player_info: [
    onServer({ player: "Steve" }, { get_player_info: sampleOf(PlayerInfoSchema) }),
    onServer(
      { player: "Steve" },
      {
        get_player_info: {
          ...{
            name: FREE,
            uuid: FREE,
            gameMode: FREE,
            location: { world: FREE, x: 1, y: 2, z: 3 },
          },
          inventory: [
            { type: FREE, quantity: 1, displayName: FREE },
            { type: "stone", quantity: 1 },
          ],
          notes: [FREE],
        },
      },
    ),
    onServer({ player: "Steve" }, { get_player_info: { [FREE]: FREE } }),
  ],
  get_server_info: [
    onServer({}, { get_server_info: sampleOf(ServerInfoSchema) }),
    onServer({}, { get_server_info: { version: FREE, weather: FREE, notes: [FREE] } }),
  ],
  get_world_info: [
    onServer({ x: 0, y: 0, z: 0, radius: 1 }, { get_world_info: sampleOf(WorldInfoSchema) }),
    { args: { x: 0, y: 0, z: 0, radius: 1 }, scene: { server: unable } },
  ],
  "get-server-events": [onServer({ cursor: 0 })],
  "wait-for-server-event": [onServer({ cursor: 0, waitMs: 20 })],
  "list-offered-tools": [{ args: {}, scene: { tools, page } }],
  "call-offered-tool": [
    { args: { name: "open", arguments: { side: "left" } }, scene: { ...lua, tools } },
    { args: { name: "open", arguments: {} }, scene: { tools } },
    { args: { name: "open", arguments: { side: "up" } }, scene: { tools } },
    { args: { name: "nothing" }, scene: { tools, page } },
  ],
  "get-history": [
    { args: {}, scene: past },
    { args: { text: "t1" }, scene: past },
    { args: { view: "summary" }, scene: { ...running, ...past }, before: started() },
  ],
  "create-alert": [
    { args: {}, scene: alerts },
    { args: { remove: "1a" }, scene: alerts },
  ],
  "list-changes": [{ args: {}, scene: changed }],
  "undo-change": [
    { args: { changes: ["1-1"] }, scene: changed },
    { args: { changes: ["1-1"], dryRun: true, force: true }, scene: changed },
    { args: { changes: ["1-1"], dryRun: false, force: true }, scene: changed },
  ],
  "power-computer": [
    { args: { ...one, action: "reboot", waitMs: 0 } },
    { args: { ...one, action: "shutdown", waitMs: 0 } },
  ],
};

/** A tool without rows is called as in its example in the documentation. */
export function rowsOf(tool: string): readonly Row[] {
  const args = examples[tool] ?? {};
  return rows[tool] ?? [{ args: "computerId" in args ? { ...args, computerId: 1 } : args }];
}
