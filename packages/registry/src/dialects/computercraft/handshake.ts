import {
  CloseCode,
  encodeFrame,
  Feature,
  type Hello,
  HelloErrorCode,
  PROTOCOL_VERSION,
} from "@ccbridge/protocol";
import type { Computers, PairingDesk } from "./computers.js";
import { type ComputerIdentity, identifyComputer } from "./identity.js";
import type { ComputerLink } from "./link.js";

/** How long an agent may take to take up its watch list again. */
const RESTORE_TIMEOUT_MS = 20_000;

const WRONG_TOKEN = "The token is missing or wrong. Use one of the link tokens of this bridge.";

const TOO_OLD_TO_PAIR =
  "This bridge links only computers that are paired, and this program cannot be: update it with the bridge's install line.";

/** Decides on a hello: the connection becomes the computer's link, stays it, or is refused. */
export function greet(computers: Computers, link: ComputerLink, hello: Hello): void {
  const { registry, options } = computers;
  const { origin } = link;
  const { pairing } = options;
  const identity = identifyComputer(hello, computers.newest);
  const isPaired = pairing?.accepts(identity, hello.secret) === true;
  const verdict = (isPaired || options.authorize?.(hello.token ?? origin.token, origin)) ?? true;
  if (verdict === false) {
    link.refuse(CloseCode.unauthorized, HelloErrorCode.unauthorized, WRONG_TOKEN);
    return;
  }
  if (verdict !== true) {
    // The token may be right, so the agent must not give up.
    link.refuse(CloseCode.tooManyLinks, HelloErrorCode.tooManyLinks, verdict.laterBecause);
    return;
  }
  computers.newest = identity;
  if (pairing !== undefined && !isPaired) return awaitPairing(pairing, link, hello, identity);
  if (!registry.hasRoom(identity.key)) return computers.refuseForRoom(link);
  // A link that says hello again may bring a new label, or did not hear the answer, but stays who it is.
  if (link.identified && link.provider.key !== identity.key) {
    link.refuse(CloseCode.badHello, HelloErrorCode.badHello, "A link cannot change its identity.");
    return;
  }
  const again = link.identified;
  link.identify(identity, hello.maxFrame);
  registry.join(link, {
    jobs: hello.jobs,
    welcome: (jobs) => link.write(welcome(computers, hello, jobs)),
  });
  if (again) return;
  computers.greeted(link);
  restoreWatches(computers, link);
}

/** Has a computer wait on its connection until somebody confirms the code that it shows. */
function awaitPairing(
  pairing: PairingDesk,
  link: ComputerLink,
  { features }: Hello,
  identity: ComputerIdentity,
): void {
  const refuse = (closeCode: CloseCode, message: string) =>
    link.refuse(closeCode, HelloErrorCode.pairing, message);
  if (!features.includes(Feature.pairing)) return refuse(CloseCode.unauthorized, TOO_OLD_TO_PAIR);
  // One that waits already shows a new code from now on.
  link.awaitPairing(undefined);
  const opened = pairing.open(identity, link.origin.address, {
    confirmed(secret) {
      link.awaitPairing(undefined);
      link.write(encodeFrame({ type: "paired", secret }));
    },
    expired: () => refuse(CloseCode.helloTimeout, "Nobody confirmed the code in time."),
  });
  if (opened === undefined) {
    return refuse(CloseCode.tooManyLinks, "Too many computers wait to be paired. Try again later.");
  }
  const { code, expiresInMs, close } = opened;
  link.awaitPairing(close);
  link.write(encodeFrame({ type: "pairing", code, expiresMs: expiresInMs }));
}

function welcome(
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
