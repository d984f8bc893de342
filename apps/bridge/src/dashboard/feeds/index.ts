import type { TopicData, TopicName, TopicParams } from "@ccbridge/protocol/dashboard";
import type { Feed } from "../sight/feed.js";
import type { Office } from "../sight/office.js";
import { checkTool, type Sight } from "../sight/sight.js";
import { activityFeed } from "./activity.js";
import { eventsFeed } from "./events.js";
import { fleetFeed } from "./fleet.js";
import { jobsFeed } from "./jobs.js";
import { clientsFeed, numbersFeed, waitingFeed } from "./office.js";
import { outputFeed } from "./output.js";
import { screenFeed } from "./screen.js";
import { turtleFeed, turtlesFeed } from "./turtles.js";

interface Context {
  readonly sight: Sight;
  readonly office: Office;
}

interface Topic<T extends TopicName> {
  /** The tool that shows the same to a client: its right is needed. */
  readonly tool?: string;
  open(params: TopicParams<T>, context: Context, ready: () => void): Feed<TopicData<T>>;
}

const feeds: { readonly [T in TopicName]: Topic<T> } = {
  fleet: { open: (_, { sight }, ready) => fleetFeed(sight.watched.fleet, ready) },
  turtles: {
    tool: "turtle-status",
    open: ({ keys }, { sight }, ready) => turtlesFeed(sight.watched, keys, ready),
  },
  jobs: {
    tool: "list-jobs",
    open: ({ key }, { sight }, ready) => jobsFeed(sight.watched, key, ready),
  },
  output: {
    tool: "get-job",
    open: ({ job }, { sight }, ready) => outputFeed(sight.providers, job, ready),
  },
  screen: {
    tool: "read-screen",
    open: (params, { sight }, ready) => screenFeed(sight.providers, params, ready),
  },
  events: {
    tool: "get-events",
    open: ({ key }, { sight }, ready) => eventsFeed(sight.providers, key, ready),
  },
  turtle: {
    tool: "turtle-status",
    open: ({ key }, { sight }, ready) => turtleFeed(sight.watched, key, ready),
  },
  activity: { open: (_, { office, sight }, ready) => activityFeed(office, sight, ready) },
  waiting: { open: (_, { office, sight }, ready) => waitingFeed(office, sight, ready) },
  clients: { open: (_, { office, sight }, ready) => clientsFeed(office, sight, ready) },
  numbers: { open: (_, { office }, ready) => numbersFeed(office, ready) },
};

/** Begins to watch a topic. Throws when the viewer may not. */
export function openFeed(
  name: TopicName,
  params: unknown,
  context: Context,
  ready: () => void,
): Feed {
  const { tool, open } = feeds[name];
  if (tool !== undefined) checkTool(context.sight, tool);
  // The table has for each topic the feed that takes its parameters.
  return (open as (params: unknown, context: Context, ready: () => void) => Feed)(
    params,
    context,
    ready,
  );
}
