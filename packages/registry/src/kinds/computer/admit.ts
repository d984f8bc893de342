import { encodeFrame, Feature, type Hello, PROTOCOL_VERSION } from "@ccbridge/protocol";
import type { Computers } from "./computers.js";
import type { ComputerLink } from "./link.js";
import type { ComputerProvider } from "./provider.js";

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
  link.identify(provider, hello.maxFrame);
  registry.join(link, {
    jobs: hello.jobs,
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
