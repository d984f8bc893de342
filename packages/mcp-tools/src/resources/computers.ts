import { computerName, type Link } from "@ccbridge/registry";
import { describeComputer } from "../tools/computers.js";
import { completeComputer, computerByRef, isMeant, refOf } from "./computer-ref.js";
import type { Resource, ResourceEntry } from "./define-resource.js";

/** Computers that one resource shows. */
const MAX_SHOWN = 100;

const linkTopics: readonly string[] = ["linked", "unlinked", "state"];

/** One entry per linked computer. */
export function entryPerComputer(
  links: readonly Link[],
  entry: (name: string) => Omit<ResourceEntry, "uri">,
  uri: (ref: string) => string,
): ResourceEntry[] {
  return links.map((link) => ({
    uri: uri(encodeURIComponent(refOf(link, links)).replaceAll("%40", "@")),
    ...entry(computerName(link.identity)),
  }));
}

export const computersResource: Resource = {
  name: "computers",
  title: "Linked computers",
  description:
    "The ComputerCraft computers and turtles in Minecraft that are linked to the bridge now, as JSON.",
  mimeType: "application/json",
  template: "cc://computers",
  list: () => [{ uri: "cc://computers", ...about(computersResource) }],
  async read(_, { registry }) {
    const links = registry.computers();
    const computers = links.slice(0, MAX_SHOWN).map((link) => ({
      uri: `cc://computers/${refOf(link, links)}`,
      ...describeComputer(link, registry),
    }));
    return { text: JSON.stringify({ total: links.length, computers }, null, 2) };
  },
  touchedBy: ({ topic }) => linkTopics.includes(topic),
};

export const computerResource: Resource = {
  name: "computer",
  title: "A linked computer",
  description:
    "What one linked ComputerCraft computer or turtle is and can do, and which of its events are " +
    "watched, as JSON. The id is its number, its label, or 12@instance where two have the same number.",
  mimeType: "application/json",
  template: "cc://computers/{id}",
  list: ({ registry }) =>
    entryPerComputer(
      registry.computers(),
      (name) => ({
        name: `computer ${name}`,
        title: `Computer ${name}`,
        description: "What it is and can do.",
      }),
      (ref) => `cc://computers/${ref}`,
    ),
  complete: { id: completeComputer },
  async read({ id = "" }, { registry }) {
    const link = computerByRef(registry, id);
    const { watches, log } = registry.events.of(link);
    const facts = { ...describeComputer(link, registry), watches, eventCursor: log.end };
    return { text: JSON.stringify(facts, null, 2) };
  },
  touchedBy: ({ topic, identity }, { id = "" }) =>
    linkTopics.includes(topic) && isMeant(id, identity),
};

function about({ name, title, description }: Resource): Omit<ResourceEntry, "uri"> {
  return { name, title, description };
}
