import { statSync } from "node:fs";
import { type CallRow, openStore, type Store } from "@ccbridge/store";
import type { Measure } from "../harness/measure.js";
import { scratchHistory } from "./history.js";

const COMPUTERS = 50;
const DAY_SECONDS = 86_400;
/** What each of them does: one event in so many seconds, one call with a job in so many. */
const EVENT_SECONDS = 10;
const CALL_SECONDS = 300;

/** A busy day of 50 computers in the history file, against the same as lines of JSON. */
export const dayOnDisk: Measure = {
  id: "k",
  title: `a day of ${COMPUTERS} computers on disk`,
  unit: "bytes",
  bound: { atMost: 0.8 },
  async run() {
    const { env, remove } = scratchHistory();
    const file = env.CC_HISTORY_FILE ?? "";
    const days = { callDays: 1_000, eventDays: 1_000, jobDays: 1_000, changeDays: 1_000 };
    const retention = { ...days, maxBytes: 1e12 };
    const store = await openStore({ file, retention });
    let json = 0;
    const count = (entry: object) => {
      json += JSON.stringify(entry).length + 1;
    };
    const start = Date.now() - DAY_SECONDS * 1_000;
    for (let second = 0; second < DAY_SECONDS; second++) {
      for (let id = 0; id < COMPUTERS; id++) {
        if ((second + id) % EVENT_SECONDS === 0) addEvent(store, count, { id, second, start });
        if ((second + 7 * id) % CALL_SECONDS === 0) addCall(store, count, { id, second, start });
      }
      // More than a batch would wait in memory, and a bound drops the oldest.
      if (second % 1_000 === 0) await store.bytes();
    }
    await store.close();
    const size = statSync(file).size;
    remove();
    return [{ bridge: { value: size }, floor: { value: json } }];
  },
};

interface When {
  readonly id: number;
  readonly second: number;
  readonly start: number;
}

type Count = (entry: object) => void;

const names = ["modem_message", "redstone", "turtle_inventory", "rednet_message"] as const;

function providerOf(id: number) {
  return {
    ...{
      kind: "computer",
      key: `computer ${id} 5f0c9a7e`,
      name: `computer ${id} (Label: turtle-${id})`,
    },
    ...{ methods: ["ping", "exec-lua"], features: ["jobs", "output"] },
  };
}

function addEvent(store: Store, count: Count, { id, second, start }: When): void {
  const name = names[(id + Math.floor(second / EVENT_SECONDS)) % names.length] ?? "redstone";
  const status = { fuel: 20_000 - (second % 500), x: second % 64, y: 64, z: id, state: "mining" };
  const args =
    name === "redstone"
      ? [{ left: second % 15, right: 0 }]
      : name === "turtle_inventory"
        ? []
        : ["back", 100 + id, 65_535, { sender: id, kind: "status", status }, 12];
  const provider = providerOf(id);
  const event = {
    seq: Math.floor(second / EVENT_SECONDS),
    time: start + second * 1_000,
    name,
    args,
  };
  store.events.append(provider, { ...event, dropped: 0, truncated: false });
  count({ what: "event", provider: provider.key, ...event });
}

function addCall(store: Store, count: Count, { id, second, start }: When): void {
  const provider = providerOf(id);
  const trace = hex(id * DAY_SECONDS + second);
  const job = hex(1e12 - (id * DAY_SECONDS + second));
  const time = start + second * 1_000;
  const code = `local ok = turtle.forward() print(ok, turtle.getFuelLevel()) return turtle.getItemDetail(${second % 16})`;
  const output = `true\t${20_000 - (second % 500)}\n`;
  const returns = [{ type: "table", value: { name: "minecraft:cobblestone", count: second % 64 } }];
  const call: CallRow = {
    table: "calls",
    ...{
      trace,
      time,
      client: "alice",
      session: "s1",
      software: "an AI client 1.2",
      tool: "exec-lua",
    },
    ...{
      acts: true,
      job,
      path: null,
      subject: null,
      outcome: "ok",
      durationMs: 52,
      approvedBy: null,
    },
    args: { computerId: id, code },
    answer: `Ran on ${provider.name}.\nOutput:\n${output}\nReturned: {"name":"minecraft:cobblestone"}`,
    targets: [{ key: provider.key, name: provider.name }],
  };
  store.addCall(call);
  const record = {
    ...{ id: job, method: "exec-lua", summary: code, onFailure: undefined, trace, client: "alice" },
    ...{ adopted: false, createdAt: time, startedAt: time, endedAt: time + 50, stopAt: undefined },
    status: { state: "done", linked: true, stopping: undefined },
    ...{ note: undefined, isGone: false, isPartial: false },
    response: { ok: true, result: { returns } },
    output: { start: 0, text: output, nextSeq: 1 },
  } as const;
  void store.jobs.save({ ...record, provider });
  count({ what: "call", ...call });
  count({ what: "job", provider: provider.key, ...record });
}

/** Eighteen digits that look random, as ids are. */
function hex(n: number): string {
  const mixed = (BigInt(Math.floor(n)) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffffn;
  return mixed.toString(16).padStart(18, "0");
}
