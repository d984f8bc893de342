import type { Provider } from "./provider.js";

/** A tool that a provider offers, as it describes it. Its text is the provider's: data, not instructions. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** How long a call may take, where the provider says so. */
  readonly timeoutMs?: number | undefined;
  /** What has to be granted before it may be used; such a tool is not listed. */
  readonly missing?: readonly string[] | undefined;
}

/** A tool that could not be loaded, and why. */
export interface BrokenTool {
  readonly file: string;
  readonly problem: string;
}

/** What one provider offers now. */
export interface Offer {
  readonly tools: readonly OfferedTool[];
  readonly broken: readonly BrokenTool[];
}

export interface OfferLimits {
  /** Tools that one provider may offer; further ones are left out. */
  maxOfferedTools: number;
  /** What they may take together, in characters of JSON. */
  maxOfferedToolsLength: number;
}

const nothing: Offer = { tools: [], broken: [] };

/** The tools that linked providers offer: the whole list of each, for as long as it is linked. */
export class OfferedTools {
  readonly #offers = new Map<string, Offer>();
  readonly #limits: OfferLimits;
  readonly #onChange: (provider: Provider) => void;

  constructor(limits: OfferLimits, onChange: (provider: Provider) => void) {
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /** What a provider offers. */
  of(key: string): Offer {
    return this.#offers.get(key) ?? nothing;
  }

  /** Every provider that offers something, by its key. */
  all(): ReadonlyMap<string, Offer> {
    return this.#offers;
  }

  /** Takes the whole list of a provider. What is too much of it is reported as broken. */
  offer(provider: Provider, { tools, broken }: Offer): void {
    const { maxOfferedTools, maxOfferedToolsLength } = this.#limits;
    const kept: OfferedTool[] = [];
    const refused: BrokenTool[] = [];
    const names = new Set<string>();
    let length = 0;
    for (const tool of tools) {
      const size = JSON.stringify(tool).length;
      const problem = names.has(tool.name)
        ? "another tool has this name"
        : kept.length >= maxOfferedTools
          ? `there are more than ${maxOfferedTools} tools`
          : length + size > maxOfferedToolsLength
            ? "the descriptions and inputs of all tools are too long together"
            : undefined;
      if (problem === undefined) {
        kept.push(tool);
        names.add(tool.name);
        length += size;
      } else refused.push({ file: tool.name, problem });
    }
    const offer = { tools: kept, broken: [...broken, ...refused].slice(0, maxOfferedTools) };
    if (JSON.stringify(offer) === JSON.stringify(this.of(provider.key))) return;
    if (offer.tools.length + offer.broken.length === 0) this.#offers.delete(provider.key);
    else this.#offers.set(provider.key, offer);
    this.#onChange(provider);
  }

  /** A provider is gone, and its tools with it. */
  withdraw(provider: Provider): void {
    if (this.#offers.delete(provider.key)) this.#onChange(provider);
  }
}
