import type { TopicData, TopicName, TopicParams } from "@ccbridge/protocol/dashboard";
import type { Feed } from "../sight/feed.js";
import type { Sight } from "../sight/sight.js";
import { eventsFeed } from "./events.js";
import { fleetFeed } from "./fleet.js";
import { jobsFeed } from "./jobs.js";
import { outputFeed } from "./output.js";
import { screenFeed } from "./screen.js";
import { turtleFeed, turtlesFeed } from "./turtles.js";

type OpenFeed<T extends TopicName> = (
  params: TopicParams<T>,
  sight: Sight,
  ready: () => void,
) => Feed<TopicData<T>>;

/** How each topic is watched. */
export const feeds: { readonly [T in TopicName]: OpenFeed<T> } = {
  fleet: (_, { watched }, ready) => fleetFeed(watched.fleet, ready),
  turtles: ({ keys }, { watched }, ready) => turtlesFeed(watched, keys, ready),
  jobs: ({ key }, { watched }, ready) => jobsFeed(watched, key, ready),
  output: ({ job }, { providers }, ready) => outputFeed(providers, job, ready),
  screen: (params, { providers }, ready) => screenFeed(providers, params, ready),
  events: ({ key }, { providers }, ready) => eventsFeed(providers, key, ready),
  turtle: ({ key }, { watched }, ready) => turtleFeed(watched, key, ready),
};
