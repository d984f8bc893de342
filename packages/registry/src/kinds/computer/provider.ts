import { type ComputerKind, type Hello, methods, type TurtlePlace } from "@ccbridge/protocol";
import { BoundedMap } from "../../budget.js";
import type { ProviderPort, ProviderView } from "../../port.js";
import type { Provider } from "../../provider.js";
import { labelText, printable } from "../../text.js";
import type { Stop } from "../../watchers.js";
import type { ComputerSelector } from "./selector.js";
import type { WatchedFile, WatchedScreen } from "./watches.js";

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
    run: hello.run,
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

export type Position = NonNullable<TurtlePlace["position"]>;

const placing: ReadonlySet<string> = new Set(["turtle-status", "set-position", "turtle-run"]);

/** Where a turtle says to be in an answer: in its status, or at the end of what it did. */
export function saidPlace(method: string, answer: unknown): Position | undefined {
  if (!placing.has(method)) return undefined;
  return methods["set-position"].result.safeParse(answer).data?.position;
}

// The words of this dialect for those who look through a port.

export type ComputerView = ProviderView<ComputerProvider>;

export function computerRef(ref: ComputerSelector) {
  return { kind: COMPUTER, ref } as const;
}

export function findComputer(
  port: ProviderPort,
  selector: ComputerSelector,
): Promise<ComputerView> {
  // The dialect of computers finds nothing else. A check would be one more promise for every call.
  return port.find(computerRef(selector)) as Promise<ComputerView>;
}

export async function linkedComputers(port: ProviderPort): Promise<readonly ComputerView[]> {
  return (await port.list(COMPUTER)).filter(isComputerView);
}

export function watchScreen(
  port: ProviderPort,
  key: string,
  listener: (screen: WatchedScreen) => void,
): Promise<Stop> {
  return port.watch(key, { what: "screen" }, (state) => listener(state as WatchedScreen));
}

export function watchFile(
  port: ProviderPort,
  key: string,
  path: string,
  listener: (file: WatchedFile) => void,
): Promise<Stop> {
  return port.watch(key, { what: "file", path }, (state) => listener(state as WatchedFile));
}

function isComputerView(view: ProviderView): view is ComputerView {
  return isComputer(view.provider);
}
