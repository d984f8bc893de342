import { removedNote, shownText } from "@ccbridge/protocol";
import { PageErrorCode, toPageResult, toRpcError } from "@ccbridge/protocol/btcp";
import { type Answer, LinkError, LinkErrorCode } from "@ccbridge/registry";
import type { ToolContext, ToolOutcome } from "../../core/define.js";
import { RpcFailure } from "../../core/errors.js";
import type { OfferedCall, OfferedCaller } from "../../core/offered.js";
import { inline, quoted } from "../../format/set-apart.js";
import { cutBlocks } from "./page-tools.js";

const DEFAULT_MS = 30_000;
const PROGRESS_MS = 15_000;
const REPORT_MS = 200;

export const pageCaller: OfferedCaller = {
  call: callPageTool,
  badArguments: (message) => failure(PageErrorCode.invalidParams, message),
  gone: (message) => failure(PageErrorCode.toolNotFound, message),
};

async function callPageTool(call: OfferedCall, context: ToolContext): Promise<ToolOutcome> {
  const { offer, tool } = call;
  const { missing } = tool;
  if (missing !== undefined) {
    throw failure(
      PageErrorCode.capabilityDenied,
      `Capability not granted: ${missing.join(", ")}. Ask for it with __btcp_request_capabilities.`,
    );
  }
  const started = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1_000);
    context.progress?.(`${offer.name} has been working on ${inline(tool.name)} for ${seconds} s`);
  }, PROGRESS_MS);
  try {
    const answer = await ask(call, context);
    if (!answer.ok) throw failure(codeOf(answer), answer.error);
    const { content, structuredContent, isError } = toPageResult(answer.result);
    return {
      text: "",
      blocks: cutBlocks(content, context.results),
      ...(structuredContent === undefined ? {} : { structured: () => structuredContent }),
      isError,
    };
  } finally {
    clearInterval(progress);
  }
}

/** What a page reports of its progress, with pauses: a page may report without end. */
function reporter({ offer }: OfferedCall, { progress }: ToolContext) {
  if (progress === undefined) return undefined;
  let nextAt = 0;
  return (message: string) => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + REPORT_MS;
    progress(`${offer.name} reports ${quoted(message, 300)}`);
  };
}

async function ask(call: OfferedCall, context: ToolContext): Promise<Answer> {
  const { offer, tool, args } = call;
  const { name, timeoutMs = DEFAULT_MS } = tool;
  const params = { name, arguments: args };
  // Zero: pages do not confirm that they stopped, so the call does not wait for it.
  const onProgress = reporter(call, context);
  const options = { timeoutMs, cancelGraceMs: 0, signal: context.signal, onProgress };
  try {
    return await context.providers.request(offer.key, "call-tool", params, options);
  } catch (error) {
    if (error instanceof LinkError) throw linkFailure(error, offer.name, inline(name), timeoutMs);
    throw error;
  }
}

function linkFailure({ code, message }: LinkError, page: string, tool: string, timeoutMs: number) {
  switch (code) {
    case LinkErrorCode.timedOut:
      return failure(
        PageErrorCode.timeout,
        `${tool} on ${page} did not answer within ${timeoutMs} ms; it may still be running there.`,
      );
    case LinkErrorCode.notLinked:
      return failure(
        PageErrorCode.toolNotFound,
        `${page} no longer offers ${tool}: it was closed, or shows something else. Call list-offered-tools.`,
      );
    case LinkErrorCode.disconnected:
    case LinkErrorCode.silent:
    case LinkErrorCode.replaced:
      return failure(
        PageErrorCode.executionError,
        `${page} went away during the call of ${tool}; what it did until then is done. Call list-offered-tools to see whether it is back.`,
      );
    default:
      return failure(PageErrorCode.executionError, message);
  }
}

function codeOf({ result }: Answer): string {
  const { btcpCode } = Object(result) as { btcpCode?: unknown };
  return typeof btcpCode === "string" ? btcpCode : PageErrorCode.executionError;
}

/** The page's words stay, as far as they can be seen: in this error there are no others. */
function failure(code: string, words: string): RpcFailure {
  const { text, removed } = shownText(words);
  const shown = [text, removedNote(removed)].filter((part) => part !== "").join(" ");
  const { code: number, message, data } = toRpcError({ code, message: shown });
  return new RpcFailure(number, message, data);
}
