import type { Event, Hello, Output, Response, TransferBudget } from "@ccbridge/protocol";
import type { Origin } from "./channel.js";
import type { Deadlines } from "./deadlines.js";
import type { LinkError } from "./errors.js";
import type { Link } from "./link.js";
import type { RegistryLimits } from "./options.js";

/** What a link needs of the registry that holds it. One object serves all links. */
export interface RegistryHost {
  readonly limits: Readonly<RegistryLimits>;
  readonly bridge: { name: string; version: string };
  readonly protocol: number;
  readonly transferBudget: TransferBudget;
  readonly deadlines: Deadlines;
  nextId(): string;
  hello(link: Link, hello: Hello): void;
  ended(link: Link, reason: string): void;
  /** An answer that no request of the link waits for; false when nobody else does. */
  answered(link: Link, response: Response): boolean;
  /** Output that no request of the link waits for. */
  printed(link: Link, output: Output): void;
  event(link: Link, event: Event): void;
  goneError(label: string): LinkError;
  unresponsive(link: Link): void;
  recovered(link: Link): void;
  refused(origin: Origin, reason: string): void;
  problem(origin: Origin, reason: string): void;
  debug(origin: Origin, message: string): void;
}
