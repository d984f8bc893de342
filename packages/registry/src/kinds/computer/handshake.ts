import {
  encodeFrame,
  Feature,
  type Hello,
  HelloErrorCode,
  LinkCloseCode,
  PROTOCOL_VERSION,
} from "@ccbridge/protocol";
import { printable } from "../../text.js";
import { awaitApproval } from "./approval.js";
import type { Computers } from "./computers.js";
import type { ComputerLink } from "./link.js";
import { type ComputerProvider, identifyComputer } from "./provider.js";

/** How long an agent may take to take up its watch list again. */
const RESTORE_TIMEOUT_MS = 20_000;

export function admit(
  computers: Computers,
  link: ComputerLink,
  {
    hello,
    provider,
    isWelcomed = false,
  }: { hello: Hello; provider: ComputerProvider; isWelcomed?: boolean },
): void {
  const { registry } = computers;
  if (!registry.hasRoom(provider.key)) return computers.refuseForRoom(link);
  const again = link.identified;
  const { jobs, programs } = hello;
  link.identify(provider, hello.maxFrame);
  registry.join(link, {
    jobs: [...new Set([...jobs, ...programs.map(({ id }) => id)])],
    programs: programs.map((program) => ({ ...program, command: printable(program.command) })),
    welcome(jobs) {
      if (!isWelcomed) link.write(welcome(computers, hello, jobs));
    },
  });
  if (again) return;
  computers.greeted(link);
  restoreWatches(computers, link);
}

export function welcome(
  { registry, options }: Computers,
  hello: Hello,
  jobs: { id: string; seq: number }[],
): string {
  if (hello.protocol === 1) return encodeFrame({ type: "hello-ok" });
  const { maxFrameBytes, heartbeatMs } = registry.limits;
  return encodeFrame({
    type: "hello-ok",
    protocol: Math.min(hello.protocol, PROTOCOL_VERSION),
    bridge: options.bridge,
    maxFrame: maxFrameBytes,
    heartbeatMs,
    ...(hello.features.includes(Feature.jobs) ? { jobs } : {}),
  });
}

/** A watch list ends with its link: the agent gets it again. */
function restoreWatches(computers: Computers, link: ComputerLink): void {
  const { registry } = computers;
  const events = registry.events.get(link.provider.key);
  const { methods } = link.provider;
  if (events === undefined || events.watches.all.length === 0 || !methods.includes("watch-events"))
    return;
  const { all: watches } = events.watches;
  computers.watchEvents(link, watches, { timeoutMs: RESTORE_TIMEOUT_MS }).then(
    ({ ok }) => {
      if (!ok && events.watches.all === watches) events.watches.clear();
    },
    // The next link tries again.
    () => {},
  );
}

const WRONG_TOKEN = "The token is missing or wrong. Use one of the link tokens of this bridge.";

/** Decides on a hello: the connection becomes the computer's link, stays it, waits for approval, or is refused. */
export function greet(computers: Computers, link: ComputerLink, hello: Hello): void {
  const { options } = computers;
  const { origin } = link;
  const { pairing } = options;
  const provider = identifyComputer(hello);
  const isPaired = pairing?.accepts(provider, hello.secret) === true;
  const verdict = (isPaired || options.authorize?.(hello.token ?? origin.token, origin)) ?? true;
  if (verdict === false) {
    link.refuse(LinkCloseCode.unauthorized, HelloErrorCode.unauthorized, WRONG_TOKEN);
    return;
  }
  if (verdict !== true) {
    // The token may be right, so the agent must not give up.
    link.refuse(LinkCloseCode.tooManyLinks, HelloErrorCode.tooManyLinks, verdict.laterBecause);
    return;
  }
  // A link that says hello again may bring a new label, or did not hear the answer, but stays who it is.
  if (link.identified && link.provider.key !== provider.key) {
    link.refuse(
      LinkCloseCode.badHello,
      HelloErrorCode.badHello,
      "A link cannot change its identity.",
    );
    return;
  }
  const isApproved =
    pairing === undefined || isPaired || link.identified || pairing.admits(provider, origin);
  if (!isApproved) return awaitApproval({ computers, link, hello }, pairing, provider);
  admit(computers, link, { hello, provider });
}
