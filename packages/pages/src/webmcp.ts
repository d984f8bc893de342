import { type ContextTool, type ModelContext, modelContext } from "./model-context.js";
import { type ConnectOptions, connect, type Page } from "./page.js";
import { installPolyfill } from "./polyfill.js";
import { shared } from "./shared.js";

/** Set by an extension, which has no tag to take attributes from; the page lets it end the connection. */
const extension = globalThis as { ccbridge?: Partial<ConnectOptions> & { page?: Page } };

/** The title and the forms of a page are known when it was parsed; its scripts may need the polyfill before. */
function begin(script: HTMLScriptElement | null): void {
  const context = modelContext() ?? installPolyfill();
  if (document.readyState !== "loading") bridge(context, script);
  else document.addEventListener("DOMContentLoaded", () => bridge(context, script));
}

/**
 * Bridges the tools that a page registers with `document.modelContext`: they come, change and go with the page. Loaded
 * with one tag: `<script src="http://127.0.0.1:8765/webmcp.js"></script>`.
 */
function bridge(context: ModelContext, script: HTMLScriptElement | null): void {
  const given = extension.ccbridge ?? {};
  const { session, name, token } = { ...script?.dataset, ...given };
  const page = connect({
    url: given.url ?? addressOf(script?.src),
    ...(session ? { session } : {}),
    ...(name ? { name } : {}),
    ...(token ? { token } : {}),
    modelContext: false,
  });
  if (extension.ccbridge !== undefined) extension.ccbridge.page = page;
  const offered = new Map<string, { described: string; remove: () => void }>();
  const follow = async () => {
    // Tools of frames belong to other documents, whose authors did not add this script.
    const tools = (await context.getTools()).filter(
      (tool) => (tool.window ?? window) === window && !shared.offered.has(tool.name),
    );
    const present = new Set(tools.map((tool) => tool.name));
    for (const [known, { remove }] of [...offered]) {
      if (present.has(known)) continue;
      remove();
      offered.delete(known);
    }
    for (const tool of tools) {
      const described = JSON.stringify([
        tool.title,
        tool.description,
        tool.inputSchema,
        tool.annotations,
      ]);
      if (offered.get(tool.name)?.described === described) continue;
      offered.set(tool.name, { described, remove: offer(page, context, tool) });
    }
  };
  // One look at a time, and one more for what changes meanwhile.
  let looking: Promise<void> | undefined;
  let again = false;
  const look = () => {
    again = looking !== undefined;
    looking ??= follow()
      .catch((error) => console.error("ccbridge:", error))
      .finally(() => {
        looking = undefined;
        if (again) look();
      });
  };
  context.addEventListener("toolchange", look);
  look();
}

function offer(page: Page, context: ModelContext, tool: ContextTool): () => void {
  const { name, title, description, inputSchema, annotations } = tool;
  return page.tool({
    name,
    description,
    ...(title ? { title } : {}),
    ...(annotations == null ? {} : { annotations: { ...annotations } }),
    inputSchema: inputSchema == null ? {} : (JSON.parse(JSON.stringify(inputSchema)) as object),
    async run(args: object, { signal }) {
      // The tool may have been registered again under its name.
      const now = (await context.getTools()).find((each) => each.name === name) ?? tool;
      return parsed(await context.executeTool(now, args, { signal }));
    },
  });
}

/** Browsers return the JSON of what a tool returned. */
function parsed(result: unknown): unknown {
  if (typeof result !== "string") return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

function addressOf(src: string | undefined): string {
  if (src === undefined || src === "") return "ws://127.0.0.1:8765";
  const url = new URL(src);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.pathname = url.pathname.replace(/[^/]*$/, "");
  return url.href;
}

begin(document.currentScript as HTMLScriptElement | null);
