import type { CallRow } from "@ccbridge/protocol/dashboard";
import { personName } from "./said.js";

/** Calls of one session that are closer than this belong to one task. */
const GAP_MS = 120_000;
const MAX_PARTS = 3;

export interface Task {
  readonly id: string;
  readonly who: string;
  /** What was done, without who did it. */
  readonly sentence: string;
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
  readonly failed: number;
  /** Newest first. */
  readonly calls: readonly CallRow[];
}

type NameOf = (key: string | undefined, fallback: string) => string;

/** Newest first. A task is what one client did without a long pause. */
export function tasksOf(calls: readonly CallRow[], nameOf: NameOf): Task[] {
  const open = new Map<string, CallRow[]>();
  const groups: CallRow[][] = [];
  for (const call of [...calls].sort((a, b) => a.at - b.at || a.id - b.id)) {
    const group = open.get(call.session);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && call.at - endOf(last) <= GAP_MS) {
      group.push(call);
      continue;
    }
    const begun = [call];
    open.set(call.session, begun);
    groups.push(begun);
  }
  return groups.map((group) => taskOf(group, nameOf)).sort((a, b) => b.to - a.to);
}

function taskOf(calls: readonly CallRow[], nameOf: NameOf): Task {
  const [first] = calls as readonly [CallRow, ...CallRow[]];
  return {
    id: first.trace,
    who:
      first.software === "dashboard"
        ? personName(first.client)
        : softwareName(first.software ?? first.client),
    sentence: sentenceOf(calls, nameOf),
    from: first.at,
    to: Math.max(...calls.map(endOf)),
    isOpen: calls.some(({ outcome }) => outcome === null),
    failed: calls.filter(({ outcome }) => outcome === "error" || outcome === "refused").length,
    calls: [...calls].reverse(),
  };
}

/** Clients say their name and version. */
function softwareName(software: string): string {
  return software.replace(/ v?\d[\w.+-]*$/, "");
}

function endOf({ at, durationMs }: CallRow): number {
  return at + (durationMs ?? 0);
}

interface Part {
  readonly verb: string;
  readonly object: string;
  readonly place: string;
}

function sentenceOf(calls: readonly CallRow[], nameOf: NameOf): string {
  const acting = calls.filter((call) => doesSomething(call) && call.outcome !== "refused");
  const shown = acting.length > 0 ? acting : calls;
  const parts = shown.map((call) => partOf(call, nameOf));
  const sentences: string[] = [];
  for (const part of unique(parts)) {
    const before = sentences.length;
    const program = /([^/]+?)(?:\.lua)?$/.exec(part.object)?.[1];
    const edited = parts.some(
      ({ verb, object, place }) =>
        /^(edited|wrote)$/.test(verb) &&
        place === part.place &&
        object.replace(/\.lua$/, "").endsWith(`/${program}`),
    );
    if (part.verb === "started" && edited && before > 0) {
      sentences[before - 1] = `${sentences[before - 1]} and restarted it`;
    } else sentences.push(textOf(part));
  }
  const extra = sentences.length - MAX_PARTS;
  const said = extra > 0 ? sentences.slice(0, MAX_PARTS) : sentences;
  const more = extra > 0 ? ` and ${extra} more ${extra === 1 ? "thing" : "things"}` : "";
  return `${said.join(", ").replace(/, ([^,]*)$/, more === "" ? " and $1" : ", $1")}${more}`;
}

/** A dry run only shows what would be done. */
export function doesSomething({ acts, request }: CallRow): boolean {
  return acts && request.dryRun !== true;
}

function textOf({ verb, object, place }: Part): string {
  const where = place === "" || verb.endsWith(" of") ? place : `on ${place}`;
  return [verb, object, where].filter(Boolean).join(" ");
}

/** Equal parts once, and those that only look merged into one. */
function unique(parts: readonly Part[]): Part[] {
  const found = new Map<string, Part>();
  for (const part of parts) {
    if (part.verb !== "looked at") {
      found.set(textOf(part), part);
      continue;
    }
    const seen = found.get("looked at");
    const objects = new Set([...(seen?.object.split(", ") ?? []), part.object]);
    found.set("looked at", { verb: "looked at", object: [...objects].join(", "), place: "" });
  }
  return [...found.values()];
}

/** What a call of an acting tool did: a verb, and which argument names its object. */
const verbs: Readonly<Record<string, readonly [verb: string, argument?: string]>> = {
  "exec-lua": ["ran Lua"],
  "run-program": ["started", "command"],
  "send-input": ["typed"],
  "write-file": ["wrote", "path"],
  "edit-file": ["edited", "path"],
  "delete-file": ["deleted", "path"],
  "copy-file": ["copied", "path"],
  "sync-folder": ["synced", "folder"],
  "call-peripheral": ["used a peripheral"],
  "move-items": ["moved items"],
  redstone: ["set redstone"],
  "set-position": ["set the position of"],
  "set-label": ["set the label", "label"],
  "cancel-job": ["stopped a job"],
  "watch-events": ["watched events"],
  "call-offered-tool": ["used", "name"],
  execute_command: ["ran", "command"],
  execute_commands: ["ran commands"],
  send_message: ["wrote in the chat"],
  teleport_player: ["teleported", "player"],
  give_item: ["gave items to", "player"],
  set_blocks: ["placed blocks"],
  fill_blocks: ["filled blocks"],
  "wait-for-event": ["waited for events"],
  "create-alert": ["set an alert"],
  "approve-computer": ["approved a computer"],
  permissions: ["looked after permissions"],
  "undo-change": ["took back changes"],
  decide: ["answered a question"],
  pair: ["decided about a computer"],
  grant: ["decided about abilities of pages"],
  "create-token": ["created the token", "name"],
  "revoke-token": ["revoked the token", "name"],
  "revoke-permission": ["revoked a permission"],
  "end-session": ["ended a session"],
  "remove-alert": ["removed an alert"],
  "change-setting": ["changed the setting", "name"],
  "revoke-approval": ["revoked the approval of a computer"],
  "forget-history": ["deleted history"],
};

const powers: Readonly<Record<string, string>> = {
  shutdown: "shut down",
  update: "updated mcp-computer on",
};

function partOf(call: CallRow, nameOf: NameOf): Part {
  const { tool, request, keys, providers } = call;
  const names = providers.map((provider, index) => nameOf(keys[index], provider));
  const place = names.length > 3 ? `${names.length} computers` : names.join(" and ");
  if (!doesSomething(call))
    return { verb: "looked at", object: place === "" ? "the base" : place, place: "" };
  const [verb, argument] = verbs[tool] ?? ["used", undefined];
  const given = argument === undefined ? undefined : request[argument];
  const object = typeof given === "string" ? given : verb === "used" ? tool : "";
  if (tool === "turtle-run") return { verb: "moved", object: place, place: "" };
  if (tool === "power-computer") {
    const done = powers[String(request.action)] ?? "rebooted";
    return { verb: done, object: place, place: "" };
  }
  return { verb, object: object.split("\n", 1)[0] ?? "", place };
}
