import { type CallableTool, type WholeAnswer, wholeAnswers } from "@ccbridge/mcp-tools";
import {
  type ActionName,
  type ActionParams,
  type ActionResult,
  actions as wire,
} from "@ccbridge/protocol/dashboard";
import type { DashboardServices } from "../context/services.js";
import {
  atComputer,
  bridgeFacts,
  builtIn,
  factsFrom,
  ownersTool,
  pollTool,
  refusal,
  shownBy,
} from "../context/tools.js";
import type { ViewerCalls } from "../context/viewer-calls.js";
import { findCalls } from "./find-calls.js";
import { findChanges } from "./find-changes.js";

export interface ActionContext {
  readonly calls: ViewerCalls;
  readonly services: DashboardServices;
  readonly origin: string;
  readonly viewer: string;
}

type Actions = {
  readonly [A in ActionName]: (
    params: ActionParams<A>,
    context: ActionContext,
  ) => Promise<ActionResult<A> | object>;
};

const actions: Actions = {
  async connect(_, { calls, services, origin }) {
    const subject = { subject: "connect", args: {} };
    const tool = pollTool(bridgeFacts("connect", "all"), subject, () => services.connect(origin));
    return (await calls.run(tool, {})).data;
  },
  async "find-calls"(params, { calls }) {
    const subject = { subject: "find-calls", args: params };
    const tool = pollTool(bridgeFacts("activity", "all"), subject, ({ history }) =>
      findCalls(history, params),
    );
    return (await calls.run(tool, params)).data;
  },
  async "find-changes"(asked, { calls }) {
    const subject = { subject: "find-changes", args: {} };
    const tool = pollTool(shownBy("list-changes"), subject, (context) =>
      findChanges(context, asked),
    );
    return (await calls.run(tool, {})).data;
  },
  "undo-changes": async ({ changes, sure, force }, { calls }) =>
    factsFrom(await calls.run(builtIn("undo-change"), { changes, dryRun: !sure, force })),
  "list-files": ({ key, ...args }, context) => whole(context, key, wholeAnswers.listFiles, args),
  async "read-file"({ key, ...args }, context) {
    return shownFile(await whole(context, key, wholeAnswers.readFile, args));
  },
  peripherals: ({ key }, context) => whole(context, key, wholeAnswers.listPeripherals, {}),
  inventories: ({ key }, context) => whole(context, key, wholeAnswers.listInventory, {}),
  "write-file": ({ key, ...args }, context) => onComputer(context, key, "write-file", args),
  "delete-file": ({ key, ...args }, context) => onComputer(context, key, "delete-file", args),
  "run-program": async ({ key, command, monitor }, context) => {
    const args = { command, ...(monitor === undefined ? {} : { monitor }), waitMs: 0 };
    const { jobId } = await onComputer(context, key, "run-program", args);
    return { job: jobId };
  },
  async input({ key, job, steps }, context) {
    const args = { steps, waitMs: 0 };
    if (job === undefined) return onComputer(context, key, "send-input", args);
    const { calls } = context;
    return calls.run(builtIn("send-input"), { jobId: job, ...args }, calls.only(key));
  },
  async "update-agent"({ key }, { calls }) {
    const tool = atComputer(builtIn("power-computer"), key);
    const { text, isError } = await calls.run(tool, { action: "update" }, calls.only(key));
    if (isError === true) throw refusal(text);
    return { text };
  },
  async "send-message"({ key, message }, { calls }) {
    const outcome = await calls.run(builtIn("send_message"), { message }, calls.only(key));
    if (outcome.isError === true) throw refusal(outcome.text);
    return {};
  },
  "stop-job": ({ job }, { calls }) => calls.run(builtIn("cancel-job"), { jobId: job }),
  "watch-events": ({ key, name, on }, context) =>
    onComputer(context, key, "watch-events", { events: [name], mode: on ? "add" : "remove" }),
  "remove-alert": ({ id }, { calls, services }) =>
    calls.isOwner
      ? calls.run(
          ownersTool("remove-alert", () => {
            if (services.alerts.remove(id) !== undefined) return;
            throw refusal("This alert is over already.");
          }),
          { id },
        )
      : calls.run(builtIn("create-alert"), { remove: id }),
  "revoke-permission": ({ id }, { calls }) => calls.run(builtIn("permissions"), { revoke: id }),
  decide: (params, { calls, services, viewer }) =>
    calls.run(
      ownersTool("decide", () => {
        const { id, decision } = params;
        if (services.approvals.answer(id, decision, viewer)) return;
        throw refusal("This call does not wait any more.");
      }),
      params,
    ),
  pair: (params, { calls, services, viewer }) =>
    calls.run(
      ownersTool("pair", () => {
        const { code, accept } = params;
        const { pairing } = services;
        const isDone = accept
          ? pairing?.confirm(code, viewer) !== undefined
          : pairing?.decline(code, viewer) === true;
        if (!isDone) throw refusal("This computer does not wait any more.");
      }),
      params,
    ),
  grant: (params, { calls, services, viewer }) =>
    calls.run(
      ownersTool("grant", () => {
        if (services.capabilities.decide(params, viewer)) return;
        throw refusal("This request does not wait any more.");
      }),
      params,
    ),
  "create-token": (params, { calls, services }) =>
    calls.run(
      ownersTool("create-token", () => ({ token: services.tokens.create(params) })),
      params,
    ),
  "revoke-token": (params, { calls, services }) =>
    calls.run(
      ownersTool("revoke-token", () => {
        // An owner always remains: revoking the own token would lock the page out.
        if (params.name === calls.caller.client.name) {
          throw refusal("This is the token that you are signed in with. Sign in with another one.");
        }
        services.tokens.revoke(params.name);
      }),
      params,
    ),
  "change-setting": (params, { calls, services }) =>
    calls.run(
      ownersTool("change-setting", () => {
        services.settings.change(params);
      }),
      params,
    ),
  "revoke-approval": (params, { calls, services, viewer }) =>
    calls.run(
      ownersTool("revoke-approval", () => {
        if (services.revokeApproval(params.key, viewer)) return;
        throw refusal("This computer is not approved any more.");
      }),
      params,
    ),
  "forget-history": (params, { calls, services }) =>
    calls.run(
      ownersTool("forget-history", () => services.forget(params)),
      params,
    ),
  "end-session": (params, { calls, services }) =>
    calls.run(
      ownersTool("end-session", async () => {
        if (await services.sessions.end(params.id)) return;
        const { elsewhere } = services;
        const isEnded = elsewhere === undefined ? false : await elsewhere.end(params.id);
        if (isEnded === true) return;
        throw refusal(
          isEnded === undefined
            ? "A bridge of the cluster does not answer, so it is not known whether this session ended."
            : "This session is over already.",
        );
      }),
      params,
    ),
};

async function onComputer(
  { calls }: ActionContext,
  key: string,
  name: string,
  args: object,
): Promise<Readonly<Record<string, unknown>>> {
  return factsFrom(await calls.run(atComputer(builtIn(name), key), args, calls.only(key)));
}

async function whole<Result>(
  { calls }: ActionContext,
  key: string,
  tool: CallableTool<WholeAnswer<Result>>,
  args: object,
): Promise<Result> {
  return (await calls.run(atComputer(tool, key), args, calls.only(key))).result;
}

export async function runAction(
  name: ActionName,
  params: unknown,
  context: ActionContext,
): Promise<unknown> {
  // The table maps each action to the function for its parameters.
  const run = actions[name] as (params: unknown, context: ActionContext) => Promise<object>;
  return wire[name].result.parse(await run(params, context));
}

interface ReadFile {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly content: Uint8Array | { readonly problem: string };
}

function shownFile({ content, ...facts }: ReadFile): ActionResult<"read-file"> {
  if ("problem" in content) return { ...facts, content: null, problem: content.problem };
  const text = textOf(content);
  return { ...facts, content: text, problem: text === null ? "it is not text" : null };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
