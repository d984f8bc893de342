import {
  CloseCode,
  encodeFrame,
  Feature,
  type Hello,
  HelloErrorCode,
  PROTOCOL_VERSION,
} from "@ccbridge/protocol";
import type { Computers } from "./computers.js";
import { identifyComputer } from "./identity.js";
import type { ComputerLink } from "./link.js";

/** How long an agent may take to take up its watch list again. */
const RESTORE_TIMEOUT_MS = 20_000;

const WRONG_TOKEN = "The token is missing or wrong. Use one of the link tokens of this bridge.";

/** Decides on a hello: the connection becomes the computer's link, stays it, or is refused. */
export function greet(computers: Computers, link: ComputerLink, hello: Hello): void {
  const { registry, options } = computers;
  const { origin } = link;
  const verdict = options.authorize?.(hello.token ?? origin.token, origin) ?? true;
  if (verdict === false) {
    link.refuse(CloseCode.unauthorized, HelloErrorCode.unauthorized, WRONG_TOKEN);
    return;
  }
  if (verdict !== true) {
    // The token may be right, so the agent must not give up.
    link.refuse(CloseCode.tooManyLinks, HelloErrorCode.tooManyLinks, verdict.laterBecause);
    return;
  }
  const identity = identifyComputer(hello, computers.newest);
  computers.newest = identity;
  if (!registry.hasRoom(identity.key)) return computers.refuseForRoom(link);
  // A link that says hello again may bring a new label, but stays who it is.
  if (link.identified && link.provider.key !== identity.key) {
    link.refuse(CloseCode.badHello, HelloErrorCode.badHello, "A link cannot change its identity.");
    return;
  }
  const again = link.identified;
  link.identify(identity, hello.maxFrame);
  registry.join(link, {
    jobs: hello.jobs,
    welcome: (jobs) => link.write(welcome(computers, hello, again ? undefined : jobs)),
  });
  if (again) return;
  computers.greeted(link);
  restoreWatches(computers, link);
}

function welcome(
  { registry, options }: Computers,
  hello: Hello,
  jobs: { id: string; seq: number }[] | undefined,
): string {
  if (hello.protocol === 1) return encodeFrame({ type: "hello-ok" });
  const { maxFrameBytes, heartbeatMs } = registry.limits;
  return encodeFrame({
    type: "hello-ok",
    protocol: Math.min(hello.protocol, PROTOCOL_VERSION),
    bridge: options.bridge,
    maxFrame: maxFrameBytes,
    heartbeatMs,
    ...(jobs !== undefined && hello.features.includes(Feature.jobs) ? { jobs } : {}),
  });
}

/** A watch list ends with its link: the agent is told again what to send. */
function restoreWatches({ registry }: Computers, link: ComputerLink): void {
  const events = registry.events.get(link.provider.key);
  const { methods } = link.provider;
  if (events === undefined || events.watches.all.length === 0 || !methods.includes("watch-events"))
    return;
  const { all: watches } = events.watches;
  link.watchEvents(watches, { timeoutMs: RESTORE_TIMEOUT_MS }).then(
    ({ ok }) => {
      if (!ok && events.watches.all === watches) events.watches.clear();
    },
    // The next link tries again.
    () => {},
  );
}
