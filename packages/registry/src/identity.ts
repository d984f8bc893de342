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

const none: readonly string[] = Object.freeze([]);

/**
 * Reads a computer's identity from its hello. All text of it is made {@link printable} here, so that what
 * is shown, logged and asked for is one and the same.
 */
export function identifyComputer(hello: Hello): ComputerIdentity {
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
    agent:
      hello.agent === undefined
        ? null
        : { name: printable(hello.agent.name), version: printable(hello.agent.version) },
    host: shown(hello.host),
    protocol: hello.protocol,
    methods: hello.methods.length > 0 ? hello.methods.map(printable) : none,
    features: hello.features.length > 0 ? hello.features : none,
  };
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
