import { SCREEN_VIEW_URI } from "@ccbridge/protocol/screen";
import {
  computerAddress,
  computerName,
  computerRef,
  isComputer,
  linkedComputers,
  type ProviderPort,
  selectorOf,
} from "@ccbridge/registry";
import type { Resource, ResourceEntry } from "../../../core/resource.js";
import { toJson } from "../../../format/set-apart.js";
import { completeComputer, findAddressed, findByAddress } from "../computer.js";
import { describeComputers } from "../core/describe-computer.js";
import { guideText } from "../guide.js";

const MAX_SHOWN = 100;

const linkTopics = ["linked", "unlinked", "state", "tools"] as const;

export async function entryPerComputer(
  providers: ProviderPort,
  entry: (name: string) => Omit<ResourceEntry, "uri">,
  uri: (ref: string) => string,
): Promise<ResourceEntry[]> {
  const computers = await linkedComputers(providers);
  return computers.map(({ provider }) => ({
    uri: uri(encodeURIComponent(selectorOf(provider, computers)).replaceAll("%40", "@")),
    ...entry(computerName(provider)),
  }));
}

export const computersResource: Resource = {
  name: "computers",
  title: "Linked computers",
  description:
    "The ComputerCraft computers and turtles in Minecraft that are linked to the bridge now, as JSON.",
  mimeType: "application/json",
  shownBy: "list-computers",
  template: "cc://computers",
  list: async () => [{ uri: "cc://computers", ...about(computersResource) }],
  async read(_, { providers }) {
    const all = await linkedComputers(providers);
    const shown = await describeComputers(providers, all.slice(0, MAX_SHOWN), all);
    const computers = shown.map((computer) => ({
      uri: `cc://computers/${computer.selector}`,
      ...computer,
    }));
    const rest = all.length - computers.length;
    const more = `${rest} more: list-computers with offset ${MAX_SHOWN}, or cc://computers/{id}`;
    return { text: toJson({ total: all.length, computers, ...(rest > 0 && { more }) }, 2) };
  },
  changedBy: () => ({ topics: linkTopics, counts: ({ provider }) => isComputer(provider) }),
};

export const computerResource: Resource = {
  name: "computer",
  title: "A linked computer",
  description:
    "What one linked ComputerCraft computer or turtle is and can do, and which of its events are " +
    "watched, as JSON. The id is its number, its label, or 12@instance where two have the same number.",
  mimeType: "application/json",
  shownBy: "list-computers",
  template: "cc://computers/{id}",
  list: ({ providers }) =>
    entryPerComputer(
      providers,
      (name) => ({
        name: `computer ${name}`,
        title: `Computer ${name}`,
        description: "What it is and can do.",
      }),
      (ref) => `cc://computers/${ref}`,
    ),
  complete: { id: completeComputer },
  findTargets: findAddressed,
  async read({ id = "" }, context) {
    const computer = await findByAddress(context, id);
    const { watches, end } = await context.providers.events.find(computerRef(id));
    const linked = await linkedComputers(context.providers);
    const [described] = await describeComputers(context.providers, [computer], linked);
    const facts = { ...described, watches, eventCursor: end };
    return { text: toJson(facts, 2) };
  },
  changedBy: ({ id = "" }) => ({ topics: linkTopics, key: computerAddress(id) }),
};

function about({ name, title, description }: Resource): Omit<ResourceEntry, "uri"> {
  return { name, title, description };
}

const aboutGuide = {
  name: "guide",
  title: "Lua in ComputerCraft",
  description:
    "What programs for ComputerCraft get wrong most often. Read it before you write one.",
};

export const guideResource: Resource = {
  ...aboutGuide,
  mimeType: "text/markdown",
  shownBy: "list-computers",
  template: "cc://guide",
  list: async () => [{ uri: "cc://guide", ...aboutGuide }],
  read: async () => ({ text: guideText() }),
};

/** No network and no permissions: everything passes through the host. */
const ui = {
  csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
  permissions: {},
  prefersBorder: true,
};

const facts = {
  name: "screen-view",
  title: "A live screen",
  description:
    "The view that clients with MCP Apps show for read-screen and run-program: the screen as it changes, which " +
    "takes keys and clicks. It is for people, not for models.",
};

export function screenApp(readHtml: () => Promise<string>): Resource {
  return {
    ...facts,
    mimeType: "text/html;profile=mcp-app",
    shownBy: "read-screen",
    template: SCREEN_VIEW_URI,
    isApp: true,
    list: async () => [{ ...facts, uri: SCREEN_VIEW_URI, _meta: { ui } }],
    read: async () => ({ text: await readHtml(), _meta: { ui } }),
  };
}
