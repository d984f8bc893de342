import type { ComputerKind, Hello } from "@ccbridge/protocol";

/** What a ComputerCraft computer said of itself. */
export interface ComputerIdentity {
  /** The kind of provider. Others will stand beside computers. */
  provider: "computer";
  /** Two providers are the same exactly when their keys are. */
  key: string;
  computerId: number;
  label: string | null;
  world: string | null;
  instance: string | null;
  kind: ComputerKind;
  advanced: boolean | null;
  agent: { name: string; version: string } | null;
  host: string | null;
  protocol: number;
  methods: readonly string[];
  features: readonly string[];
}

export type Identity = ComputerIdentity;

/**
 * Reads a computer's identity from its hello. All text of it is made {@link printable} here, so that what
 * is shown, logged and asked for is one and the same.
 */
export function identifyComputer(hello: Hello, earlier?: ComputerIdentity): ComputerIdentity {
  const world = shown(hello.world);
  const instance = shown(hello.instance);
  return {
    provider: "computer",
    // Computer ids repeat across worlds; JSON keeps the parts apart whatever they contain.
    key: `computer:${JSON.stringify([hello.computerId, world, instance])}`,
    computerId: hello.computerId,
    label: shown(hello.computerLabel),
    world,
    instance,
    kind: hello.kind ?? "computer",
    advanced: hello.advanced ?? null,
    agent: same(
      earlier?.agent,
      hello.agent === undefined
        ? null
        : { name: printable(hello.agent.name), version: printable(hello.agent.version) },
    ),
    host: same(earlier?.host, shown(hello.host)),
    protocol: hello.protocol,
    methods: same(earlier?.methods, hello.methods.map(printable)),
    features: same(earlier?.features, hello.features),
  };
}

/** The earlier of two equal values: thousands of computers of one kind keep what they share once. */
function same<T>(earlier: T | undefined, value: T): T {
  return JSON.stringify(earlier) === JSON.stringify(value) ? (earlier as T) : value;
}

function shown(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : printable(text);
}

/** The name of a computer in every text: `12 (Label: base-turtle)`. */
export function computerName(computer: { computerId: number; label: string | null }): string {
  return `${computer.computerId} (Label: ${computer.label ?? "null"})`;
}

/**
 * Text from the game on one line: control characters, line separators and direction marks could fake
 * further lines of a result or a log.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}
