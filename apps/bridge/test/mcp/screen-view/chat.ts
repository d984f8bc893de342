import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { BrowserContext, Frame, FrameLocator, Page } from "playwright-core";
import { build as bundle } from "vite";
import { expect, onTestFinished } from "vitest";
import type { BridgeOptions } from "../../../src/index.js";
import { viewUri } from "./helpers.js";

/** Where the chat and the sandbox of its views would be; nothing leaves the machine. */
const CHAT = "http://chat.test/";
const SANDBOX = "http://sandbox.test/view";

export function builtView(): Pick<BridgeOptions, "screenView"> {
  const path = new URL("../../../../dashboard/dist/screen-view.html", import.meta.url);
  return { screenView: fileURLToPath(path) };
}

let bundled: Promise<string> | undefined;

function hostScript(): Promise<string> {
  bundled ??= (async () => {
    const entry = fileURLToPath(new URL("./host-page.mjs", import.meta.url));
    const output = await bundle({
      configFile: false,
      logLevel: "silent",
      build: { write: false, minify: false, rolldownOptions: { input: entry } },
    });
    const [first] = Array.isArray(output) ? output : [output];
    if (first === undefined || !("output" in first)) throw new Error("the host was not built");
    return first.output[0].code;
  })();
  return bundled;
}

export interface ChatOptions {
  width?: number;
  context?: Record<string, unknown>;
  capabilities?: Record<string, unknown>;
}

interface ViewCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export class Chat {
  readonly page: Page;
  readonly view: FrameLocator;
  readonly calls: ViewCall[] = [];
  readonly #client: Client;

  constructor(page: Page, client: Client) {
    this.page = page;
    this.#client = client;
    this.view = page.frameLocator("iframe");
  }

  async open({ width = 600, context = {}, capabilities = { serverTools: {} } }: ChatOptions) {
    const { page } = this;
    page.setDefaultTimeout(60_000);
    await page.setViewportSize({ width, height: 640 });
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("dialog", (dialog) => {
      faults.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    onTestFinished(async () => {
      await page.close();
      expect(faults).toEqual([]);
    });
    await page.exposeFunction("callTool", (call: ViewCall) => this.#call(call));
    const { contents } = await this.#client.readResource({ uri: viewUri });
    const [content] = contents;
    const html = content !== undefined && "text" in content ? content.text : "";
    const script = await hostScript();
    await page.route("**/*", async (route) => {
      const url = route.request().url();
      if (url === CHAT) return route.fulfill({ contentType: "text/html", body: chatPage(script) });
      if (url === SANDBOX) {
        const headers = { "content-security-policy": policyOf(content?._meta) };
        return route.fulfill({ contentType: "text/html", headers, body: html });
      }
      if (!url.endsWith("/favicon.ico")) faults.push(`asked for ${url}`);
      return route.abort();
    });
    await page.goto(CHAT);
    await page.evaluate(
      ([url, capabilities, context]) =>
        // @ts-expect-error: the page's own
        globalThis.host.open({ url, capabilities, context }),
      [SANDBOX, capabilities, context] as const,
    );
  }

  /** Calls a tool as the model would, and shows the result in the view. */
  async call(name: string, args: Record<string, unknown>): Promise<CallToolResult> {
    await this.notifyView("sendToolInput", { arguments: args });
    const result = (await this.#client.callTool({ name, arguments: args })) as CallToolResult;
    await this.notifyView("sendToolResult", result);
    return result;
  }

  async notifyView(method: string, params: object): Promise<unknown> {
    return this.page.evaluate(
      ([method, params]) =>
        // @ts-expect-error: the page's own
        globalThis.host.bridge[method](params),
      [method, params] as const,
    );
  }

  async viewReports(): Promise<{ sizes: number[]; modes: string[]; contexts: unknown[] }> {
    return this.page.evaluate("globalThis.host.reports");
  }

  frame(): Frame {
    return this.page.frames().find((frame) => frame.url() === SANDBOX) ?? expect.unreachable();
  }

  screenText(): Promise<string | null> {
    return this.view.getByTestId("screen-text").textContent();
  }

  async #call(call: ViewCall): Promise<CallToolResult> {
    this.calls.push(call);
    return (await this.#client.callTool(call)) as CallToolResult;
  }
}

export async function openChat(
  browser: BrowserContext,
  client: Client,
  options: ChatOptions = {},
): Promise<Chat> {
  const chat = new Chat(await browser.newPage(), client);
  await chat.open(options);
  return chat;
}

function chatPage(script: string): string {
  const safe = script.replaceAll("</script", "<\\/script");
  return `<!doctype html><meta charset="utf-8"><title>chat</title>
<style>html { color-scheme: light dark } body { margin: 0 } iframe { border: 0; width: 100%; display: block }</style>
<body><script type="module">${safe}</script></body>`;
}

function policyOf(meta: Record<string, unknown> | undefined): string {
  const { csp } = (meta?.ui ?? {}) as { csp?: Record<string, string[]> };
  const own = (name: string) => (csp?.[name] ?? []).join(" ");
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${own("resourceDomains")}`,
    `style-src 'self' 'unsafe-inline' ${own("resourceDomains")}`,
    "img-src 'self' data:",
    `connect-src ${own("connectDomains") || "'none'"}`,
    `frame-src ${own("frameDomains") || "'none'"}`,
    "object-src 'none'",
    "base-uri 'self'",
  ].join("; ");
}
