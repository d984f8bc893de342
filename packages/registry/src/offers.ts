import { inputSchemaProblem } from "@ccbridge/protocol";
import { Budget } from "./budget.js";
import type { Provider } from "./provider.js";

/** A tool that a provider offers, as it describes it. Its text is the provider's: data, not instructions. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Hints of MCP, as the provider states them: clients see them, the bridge does not rely on them. */
  readonly annotations?: Readonly<Record<string, boolean>> | undefined;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** Whether it changes nothing. Set only for providers whose word counts. */
  readonly readOnly?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** What has to be granted before it may be used; such a tool is not listed. */
  readonly missing?: readonly string[] | undefined;
}

export interface BrokenTool {
  readonly file: string;
  readonly problem: string;
}

export interface Offer {
  readonly tools: readonly OfferedTool[];
  readonly broken: readonly BrokenTool[];
}

export interface OfferLimits {
  maxOfferedTools: number;
  maxOfferedToolsLength: number;
  maxAllOfferedTools: number;
  maxAllOfferedToolsLength: number;
}

const nothing: Offer = { tools: [], broken: [] };

/** What a provider may offer, in tools and in characters of JSON, when all of them offer too much. */
const SHARE = { tools: 8, length: 8_192 };

/** The tools that linked providers offer: the whole list of each, for as long as it is linked. */
export class OfferedTools {
  readonly #offers = new Map<string, Offer>();
  readonly #limits: OfferLimits;
  readonly #onChange: (provider: Provider) => void;
  readonly #counts: Budget<string>;
  readonly #lengths: Budget<string>;

  constructor(limits: OfferLimits, onChange: (provider: Provider) => void) {
    this.#limits = limits;
    this.#onChange = onChange;
    this.#counts = new Budget({ total: limits.maxAllOfferedTools });
    this.#lengths = new Budget({ total: limits.maxAllOfferedToolsLength });
  }

  of(key: string): Offer {
    return this.#offers.get(key) ?? nothing;
  }

  all(): ReadonlyMap<string, Offer> {
    return this.#offers;
  }

  /** Takes the whole list of a provider. What is too much of it is reported as broken. */
  offer(provider: Provider, { tools, broken }: Offer): void {
    const before = this.of(provider.key);
    this.#release(provider);
    const kept: OfferedTool[] = [];
    const refused: BrokenTool[] = [];
    const names = new Set<string>();
    let length = 0;
    for (const tool of tools) {
      const size = sizeOf(tool);
      const problem = names.has(tool.name)
        ? "another tool has this name"
        : (inputSchemaProblem(tool.inputSchema) ?? this.#problem(kept.length, length + size));
      if (problem === undefined) {
        kept.push(tool);
        names.add(tool.name);
        length += size;
      } else refused.push({ file: tool.name, problem });
    }
    const offer = { tools: kept, broken: this.#fitting(kept.length, [...broken, ...refused]) };
    for (const item of offer.broken) length += sizeOf(item);
    this.#counts.set(provider.key, kept.length + offer.broken.length);
    this.#lengths.set(provider.key, length);
    if (JSON.stringify(offer) === JSON.stringify(before)) return;
    if (offer.tools.length + offer.broken.length === 0) this.#offers.delete(provider.key);
    else this.#offers.set(provider.key, offer);
    this.#onChange(provider);
  }

  withdraw(provider: Provider): void {
    this.#release(provider);
    if (this.#offers.delete(provider.key)) this.#onChange(provider);
  }

  /** Why one more tool is not offered, when the provider has so many and they would be so long with it. */
  #problem(tools: number, length: number): string | undefined {
    const { maxOfferedTools, maxOfferedToolsLength } = this.#limits;
    if (tools >= maxOfferedTools) return `there are more than ${maxOfferedTools} tools`;
    if (length > maxOfferedToolsLength) {
      return "the descriptions and inputs of all tools are too long together";
    }
    const { maxAllOfferedTools, maxAllOfferedToolsLength } = this.#limits;
    const isTooMany = this.#counts.total + tools >= maxAllOfferedTools && tools >= SHARE.tools;
    const isTooLong =
      this.#lengths.total + length > maxAllOfferedToolsLength && length > SHARE.length;
    return isTooMany || isTooLong ? "all providers together offer too many tools" : undefined;
  }

  #fitting(tools: number, broken: readonly BrokenTool[]): BrokenTool[] {
    const { maxOfferedTools, maxAllOfferedTools } = this.#limits;
    const room = Math.max(SHARE.tools, maxAllOfferedTools - this.#counts.total - tools);
    return broken.slice(0, Math.min(maxOfferedTools, room));
  }

  #release({ key }: Provider): void {
    this.#counts.release(key);
    this.#lengths.release(key);
  }
}

function sizeOf(tool: OfferedTool | BrokenTool): number {
  return JSON.stringify(tool).length;
}
