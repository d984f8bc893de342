import {
  type ComputerIdentity,
  computerName,
  type Link,
  printable,
  type Registry,
} from "@ccbridge/registry";
import { cutEnd } from "../format/text.js";
import { type Complete, ResourceNotFound } from "./define-resource.js";

/**
 * A computer as an address or a person names it: `12`, `12@instance` where two have that id, or a label.
 */
export function isMeant(ref: string, identity: ComputerIdentity): boolean {
  const [, id, world] = /^(\d+)(?:@(.+))?$/.exec(ref) ?? [];
  if (id === undefined) return identity.label === ref;
  if (Number(id) !== identity.computerId) return false;
  return world === undefined || identity.instance === world || identity.world === world;
}

/** The shortest name that means this computer and no other. */
export function refOf({ identity }: Link, links: readonly Link[]): string {
  const { computerId, instance, world } = identity;
  const alone = links.every(
    (other) => other.identity.computerId !== computerId || other.identity.key === identity.key,
  );
  const apart = instance ?? world;
  return alone || apart === null ? String(computerId) : `${computerId}@${apart}`;
}

/** The one linked computer that is meant. */
export function computerByRef(registry: Registry, ref: string): Link {
  const links = registry.computers();
  const [link, other] = links.filter(({ identity }) => isMeant(ref, identity));
  const shown = cutEnd(printable(ref), 64);
  if (link === undefined) {
    const names = links.slice(0, 20).map(({ identity }) => computerName(identity));
    throw new ResourceNotFound(
      `No computer "${shown}" is linked. ` +
        (names.length === 0
          ? "No computers are linked."
          : `Linked computers: ${names.join(", ")}${links.length > 20 ? ", ..." : ""}.`),
    );
  }
  if (other !== undefined) {
    const refs = links
      .filter(({ identity }) => isMeant(ref, identity))
      .map((each) => refOf(each, links));
    throw new ResourceNotFound(`"${shown}" means several computers: ${refs.join(", ")}.`);
  }
  return link;
}

/** Ids and labels of the linked computers. */
export const completeComputer: Complete = (typed, { registry }) => {
  const links = registry.computers();
  const start = typed.toLowerCase();
  const refs = links.map((link) => refOf(link, links));
  const labels = links.flatMap(({ identity }) => identity.label ?? []);
  return [...new Set([...refs, ...labels])].filter((value) =>
    value.toLowerCase().startsWith(start),
  );
};
