import type { ComputerKind, Hello } from "@ccbridge/protocol";
import { BoundedMap } from "../../bounded-map.js";
import type { Provider } from "../../provider.js";
import { labelText } from "../../set-apart.js";
import { printable } from "../../text.js";

export const COMPUTER = "computer";

const NAME_PREFIX = "computer ";

export interface ComputerProvider extends Provider {
  readonly kind: typeof COMPUTER;
  readonly computerId: number;
  readonly label: string | null;
  readonly world: string | null;
  readonly instance: string | null;
  readonly computerKind: ComputerKind;
  readonly advanced: boolean | null;
  readonly agent: { readonly name: string; readonly version: string } | null;
  readonly host: string | null;
  readonly protocol: number;
  readonly allow: string | null;
}

export function isComputer(provider: Provider): provider is ComputerProvider {
  return provider.kind === COMPUTER;
}

/**
 * Reads a computer's identity from its hello. All text of it is made {@link printable} here, so that what
 * is shown, logged and asked for is one and the same.
 */
export function identifyComputer(hello: Hello): ComputerProvider {
  const world = shown(hello.world);
  const instance = shown(hello.instance);
  const { computerId } = hello;
  const label = shown(hello.computerLabel);
  return {
    kind: COMPUTER,
    // Computer ids repeat across worlds; JSON keeps the parts apart whatever they contain.
    key: flat("computer:", JSON.stringify([computerId, world, instance])),
    name: flat(NAME_PREFIX, computerId, " (Label: ", labelText(label), ")"),
    computerId,
    label,
    world,
    instance,
    computerKind: hello.kind ?? "computer",
    advanced: hello.advanced ?? null,
    agent: sharedAgent(hello.agent),
    host: shared(shown(hello.host)),
    protocol: hello.protocol,
    allow: shown(hello.allow),
    methods: sharedList(hello.methods),
    features: sharedList(hello.features),
  };
}

/** Agents of one version say the same of themselves. It is kept once: copies would take 2 KB for every link. */
const said = new BoundedMap<string, unknown>(64);
const MAX_SHARED_LENGTH = 4_096;

function shared<T>(value: T): T {
  const key = JSON.stringify(value);
  if (key.length > MAX_SHARED_LENGTH) return value;
  const known = (said.get(key) as T | undefined) ?? value;
  said.set(key, known);
  return known;
}

function sharedList(received: readonly string[]): readonly string[] {
  return shared(received.map(printable));
}

function sharedAgent(agent: Hello["agent"]): ComputerProvider["agent"] {
  if (agent === undefined) return null;
  return shared({ name: printable(agent.name), version: printable(agent.version) });
}

/** One string, where a template would hold on to its parts. */
function flat(...parts: readonly (string | number)[]): string {
  return parts.join("");
}

function shown(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : printable(text);
}

/**
 * The name of a computer in every text: `12 (Label: base-turtle)`. A label that could imitate something else is quoted.
 * Others have a name already.
 */
export function computerName(
  computer: { computerId: number; label: string | null } | Provider,
): string {
  if ("name" in computer) {
    return isComputer(computer) ? computer.name.slice(NAME_PREFIX.length) : computer.name;
  }
  return `${computer.computerId} (Label: ${labelText(computer.label)})`;
}
