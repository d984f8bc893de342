import type { PageLink } from "../../../src/kinds/page/link.js";
import type { Pages } from "../../../src/kinds/page/pages.js";
import type { PageOpening } from "../../../src/kinds/page/provider.js";
import type { Channel } from "../../../src/session.js";

export interface Message {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** A page without a browser: what it says is said at once, what it hears is kept. */
export class FakePage implements Channel {
  readonly link: PageLink;
  readonly heard: Message[] = [];
  closedWith: { code: number; reason: string } | undefined;
  bufferedBytes = 0;

  constructor(pages: Pages, opening: Partial<PageOpening> = {}) {
    const site = "http://localhost:5173";
    this.link = pages.attach(
      this,
      { address: "1.2.3.4" },
      { session: undefined, site, ...opening },
    );
  }

  send(text: string): void {
    this.heard.push(JSON.parse(text));
  }

  close(code: number, reason: string): void {
    this.closedWith = { code, reason };
  }

  say(message: Message): void {
    this.link.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Asks the bridge, which answers at once. */
  ask(method: string, params: Record<string, unknown> = {}): Message | undefined {
    const id = `btcp-${this.heard.length}`;
    this.say({ id, method, params });
    return this.heard.find((message) => message.id === id);
  }

  register(...tools: (string | object)[]): Message | undefined {
    return this.ask("tools/register", {
      tools: tools.map((tool) => (typeof tool === "string" ? { name: tool } : tool)),
    });
  }

  request(method: string): Message {
    const found = this.heard.findLast((message) => message.method === method);
    if (found === undefined) throw new Error(`the bridge has not asked ${method}`);
    return found;
  }

  answer(to: Message, result: unknown): void {
    this.say({ id: to.id ?? null, result });
  }

  leave(): void {
    this.link.closed("socket closed with 1001");
  }
}
