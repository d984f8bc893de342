import type { Kinds, ToolFacts } from "@ccbridge/mcp-tools";
import type { TopicData, TopicName, TopicParams } from "@ccbridge/protocol/dashboard";
import { monitorOf } from "@ccbridge/protocol/screen";
import type { ProviderPort } from "@ccbridge/registry";
import type { DashboardServices } from "../context/services.js";
import { bridgeFacts, notLinked, type PollSubject, shownBy } from "../context/tools.js";
import type { ViewerCalls } from "../context/viewer-calls.js";
import { activitySource } from "./activity.js";
import { eventsSource } from "./events.js";
import { watchFleet } from "./fleet.js";
import { watchJobs, watchWork } from "./jobs.js";
import {
  alertsSource,
  approvedSource,
  clientsSource,
  clusterSource,
  numbersSource,
  permissionsSource,
  settingsSource,
  tokensSource,
  waitingSource,
} from "./management.js";
import { offersSource } from "./offers.js";
import { outputSource, screenSource } from "./output.js";
import { watchServer } from "./server.js";
import type { SharedWatches } from "./shared.js";
import { watchTurtle, watchTurtles } from "./turtles.js";
import { type Source, type Watch, watchByCalls } from "./watch.js";

export interface TopicContext {
  readonly calls: ViewerCalls;
  readonly shared: SharedWatches;
  readonly services: DashboardServices;
}

type Topics = {
  readonly [T in TopicName]: (
    params: TopicParams<T>,
    context: TopicContext,
    ready: () => void,
  ) => Watch<TopicData<T>>;
};

const topics: Topics = {
  fleet: (_, { shared }, ready) => watchFleet(shared.fleet, ready),
  turtles: ({ keys }, { shared }, ready) => watchTurtles(shared, keys, ready),
  turtle: ({ key }, { shared, services }, ready) =>
    watchTurtle(shared, services.tracks, key, ready),
  jobs: ({ key }, { shared }, ready) => watchJobs(shared, key, ready),
  offers: ({ key }, { calls, services }, ready) =>
    watchByCalls(
      calls,
      shownBy("list-offered-tools"),
      aboutProvider(key, {}),
      offersSource(services, key, ready),
    ),
  work: (_, { shared }, ready) => watchWork(shared, ready),
  server: ({ key }, { calls }, ready) => watchServer(calls, key, ready),
  output: ({ job }, { calls }, ready) =>
    watchByCalls(
      calls,
      shownBy("get-job"),
      { subject: job, args: { jobId: job }, findTargets: (providers) => ofJob(providers, job) },
      outputSource(calls.providers, job, ready),
    ),
  screen: (params, { calls }, ready) =>
    watchByCalls(
      calls,
      shownBy("read-screen"),
      {
        ...aboutProvider(params.key, screenArguments(params.job)),
        holdsTargets: true,
      },
      screenSource(params, ready),
    ),
  events: ({ key }, { calls, services }, ready) =>
    watchByCalls(
      calls,
      () => eventsTool(services.mcp.context.settings.kinds, calls, key),
      aboutProvider(key, {}),
      eventsSource(calls.providers, key, ready),
    ),
  activity: (_, { calls, services }, ready) =>
    ofBridge(calls, "activity", activitySource(services, ownOf(calls), ready)),
  clients: (_, { calls, services }, ready) =>
    ofBridge(calls, "clients", clientsSource(services, ownOf(calls), ready)),
  numbers: (_, { calls, services }, ready) =>
    ofBridge(calls, "numbers", numbersSource(services, ready)),
  cluster: (_, { calls, services }, ready) =>
    ofBridge(calls, "cluster", clusterSource(services, ready)),
  waiting: (_, { calls, services }, ready) =>
    ofBridge(calls, "waiting", waitingSource(services, ready), "owners"),
  permissions: (_, { calls, services }, ready) =>
    ofBridge(calls, "permissions", permissionsSource(services, ready), "owners"),
  alerts: (_, { calls, services }, ready) => {
    const client = calls.isOwner ? undefined : calls.caller.client;
    return ofBridge(calls, "alerts", alertsSource(services, client, ready));
  },
  settings: (_, { calls, services }, ready) =>
    ofBridge(calls, "settings", settingsSource(services, ready), "owners"),
  approved: (_, { calls, services }, ready) =>
    ofBridge(calls, "approved", approvedSource(services, ready), "owners"),
  tokens: (_, { calls, services }, ready) =>
    ofBridge(calls, "tokens", tokensSource(services, ready), "owners"),
};

async function eventsTool(
  kinds: Kinds,
  { providers }: ViewerCalls,
  key: string,
): Promise<ToolFacts> {
  const found = (await providers.list()).find((view) => view.key === key);
  const kind = kinds.get(found?.provider.kind) ?? kinds.all[0];
  return shownBy(kind?.eventsReadBy ?? kind?.listedBy ?? "", kinds);
}

/** The arguments of read-screen that name the same screen. */
function screenArguments(job: string | undefined): PollSubject["args"] {
  if (job === undefined) return {};
  const monitor = monitorOf(job);
  return monitor === undefined ? { jobId: job } : { monitor };
}

function aboutProvider(key: string, args: PollSubject["args"]): PollSubject {
  return {
    subject: JSON.stringify([key, args]),
    args,
    async findTargets(providers) {
      const found = (await providers.list()).find((view) => view.key === key);
      if (found === undefined) throw notLinked();
      return [found];
    },
  };
}

async function ofJob(providers: ProviderPort, job: string) {
  const found = await providers.jobs.get(job);
  return found === undefined ? [] : [{ key: found.key, name: found.provider.name }];
}

function ofBridge<Data>(
  calls: ViewerCalls,
  name: string,
  source: Source<Data>,
  who: "all" | "owners" = "all",
): Watch<Data> {
  const facts: ToolFacts = bridgeFacts(name, who);
  return watchByCalls(calls, facts, { subject: name, args: {} }, source);
}

function ownOf({ isOwner, caller }: ViewerCalls) {
  return ({ client }: { readonly client: string }) => isOwner || client === caller.client.name;
}

export function openWatch(
  name: TopicName,
  params: unknown,
  context: TopicContext,
  ready: () => void,
): Watch {
  // The table maps each topic to the function for its parameters.
  return (topics[name] as (params: unknown, context: TopicContext, ready: () => void) => Watch)(
    params,
    context,
    ready,
  );
}
