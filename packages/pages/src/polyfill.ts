import type { ContextTool, ModelContext, RegisteredTool } from "./model-context.js";

/** A form as a tool: `<form toolname="search" tooldescription="...">`. */
const FORMS = "form[toolname][tooldescription]";
const fields = "input[name], select[name], textarea[name]";

type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** WebMCP for browsers without it: tools of scripts, and forms that describe themselves. */
class ModelContextPolyfill extends EventTarget implements ModelContext {
  readonly #tools = new Map<string, RegisteredTool>();

  constructor() {
    super();
    const changed = () => this.#changed();
    new MutationObserver(changed).observe(document, {
      ...{ subtree: true, childList: true, attributes: true },
      attributeFilter: ["toolname", "tooldescription", "toolparamdescription", "name", "required"],
    });
  }

  async registerTool(tool: RegisteredTool, { signal }: { signal?: AbortSignal } = {}) {
    if (!tool?.name || !tool.description || typeof tool.execute !== "function") {
      throw new TypeError("A tool needs a name, a description and a function execute.");
    }
    if (signal?.aborted === true) return;
    if (this.#tools.has(tool.name)) {
      throw new DOMException(`There is a tool ${tool.name} already.`, "InvalidStateError");
    }
    this.#tools.set(tool.name, tool);
    signal?.addEventListener("abort", () => {
      if (this.#tools.get(tool.name) === tool) this.#tools.delete(tool.name);
      this.#changed();
    });
    this.#changed();
  }

  async getTools(): Promise<ContextTool[]> {
    const forms = [...document.querySelectorAll<HTMLFormElement>(FORMS)].map(toolOfForm);
    return [...this.#tools.values(), ...forms].map(({ name, title, description, ...rest }) => ({
      ...{ name, title: title ?? "", description, window },
      ...(rest.inputSchema === undefined ? {} : { inputSchema: rest.inputSchema }),
      ...(rest.annotations === undefined ? {} : { annotations: rest.annotations }),
    }));
  }

  async executeTool({ name }: ContextTool, input: object, options: { signal?: AbortSignal } = {}) {
    const tool = this.#tools.get(name);
    if (tool !== undefined) {
      const { signal = new AbortController().signal } = options;
      // The draft lets a tool ask the person in the page; here the tool does so itself.
      return tool.execute(input, {
        signal,
        requestUserInteraction: (ask: () => unknown) => ask(),
      });
    }
    const form = document.querySelector<HTMLFormElement>(
      `${FORMS}[toolname="${CSS.escape(name)}"]`,
    );
    if (form === null) throw new DOMException(`There is no tool ${name}.`, "NotFoundError");
    return submitForm(form, input as Record<string, unknown>, options.signal);
  }

  #changed(): void {
    this.dispatchEvent(new Event("toolchange"));
  }
}

export function installPolyfill(): ModelContext {
  const context = new ModelContextPolyfill();
  Object.defineProperty(document, "modelContext", { value: context, configurable: true });
  return context;
}

function fieldsOf(form: HTMLFormElement): FormField[] {
  return [...form.querySelectorAll<FormField>(fields)].filter(
    ({ type }) => !["submit", "button", "reset", "hidden", "password", "file"].includes(type),
  );
}

function toolOfForm(form: HTMLFormElement): ContextTool {
  const properties: Record<string, object> = {};
  const required = new Set<string>();
  for (const field of fieldsOf(form)) {
    const label =
      field.getAttribute("toolparamdescription") ??
      (field.labels?.[0]?.textContent?.trim() || field.getAttribute("aria-description"));
    const type =
      field.type === "number" || field.type === "range"
        ? "number"
        : field.type === "checkbox"
          ? "boolean"
          : "string";
    properties[field.name] = {
      type,
      ...(field instanceof HTMLSelectElement && {
        enum: [...field.options].map(({ value }) => value),
      }),
      ...(field.type === "radio" && {
        enum: fieldsOf(form)
          .filter(({ name }) => name === field.name)
          .map(({ value }) => value),
      }),
      ...(label && { description: label }),
    };
    if (field.required) required.add(field.name);
  }
  return {
    name: form.getAttribute("toolname") ?? "",
    description: form.getAttribute("tooldescription") ?? "",
    inputSchema: { type: "object", properties, required: [...required] },
  };
}

/** Fills a form. A person submits it, unless its author lets tools do that (`toolautosubmit`). */
function submitForm(
  form: HTMLFormElement,
  input: Record<string, unknown>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const isAutomatic = form.hasAttribute("toolautosubmit");
  for (const field of fieldsOf(form)) {
    if (!Object.hasOwn(input, field.name)) continue;
    const value = input[field.name];
    if (field.type === "checkbox") (field as HTMLInputElement).checked = value === true;
    else if (field.type === "radio") (field as HTMLInputElement).checked = field.value === value;
    else field.value = String(value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  // It would not be submitted, and the call would wait in vain.
  if (isAutomatic && !form.noValidate && !form.checkValidity()) {
    return Promise.reject(new TypeError(`The form is not valid. ${problemsOf(form)}`));
  }
  return new Promise((resolve, reject) => {
    const stop = () => form.removeEventListener("submit", onSubmit);
    const onSubmit = (event: SubmitEvent) => {
      stop();
      let answer: unknown;
      const respondWith = (value: unknown) => {
        answer = value;
      };
      const responding = { agentInvoked: true, respondWith };
      for (const [name, value] of Object.entries(responding)) {
        Object.defineProperty(event, name, { value, configurable: true });
      }
      // After the page's own listeners, which may answer.
      setTimeout(() => resolve(answer ?? "The form was submitted."), 0);
    };
    form.addEventListener("submit", onSubmit, { capture: true });
    signal?.addEventListener("abort", () => {
      stop();
      reject(signal.reason);
    });
    if (isAutomatic) form.requestSubmit();
    else form.querySelector<HTMLElement>("[type=submit], button:not([type])")?.focus();
  });
}

function problemsOf(form: HTMLFormElement): string {
  return fieldsOf(form)
    .filter(({ validity }) => !validity.valid)
    .map(({ name, validationMessage }) => `${name}: ${validationMessage}`)
    .join(" ");
}
