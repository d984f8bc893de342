import { defineTool, type Prompt, type Resource, type Tool } from "@ccbridge/mcp-tools";
import { z } from "zod";
import { askingPrompt, askingTools } from "./asking.js";

// What the official conformance suite calls by name, written as the bridge's own tools, resources
// and prompts are.

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", data: png, mimeType: "image/png" } as const;
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const none = z.object({});

function tool(name: string, description: string, handler: Tool["handler"]): Tool {
  return defineTool({ name, title: name, description, input: none, handler });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

export const fixtureTools: readonly Tool[] = [
  tool("test_simple_text", "Answers with text.", async () => ({
    text: "This is a simple text response for testing.",
  })),
  tool("test_image_content", "Answers with a picture.", async () => ({
    text: "",
    blocks: [image],
  })),
  tool("test_audio_content", "Answers with a sound.", async () => ({
    text: "",
    blocks: [{ type: "audio", data: wav, mimeType: "audio/wav" }],
  })),
  tool("test_embedded_resource", "Answers with a resource.", async () => ({
    text: "",
    blocks: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  })),
  tool("test_multiple_content_types", "Answers with several kinds of content.", async () => ({
    text: "",
    blocks: [
      { type: "text", text: "Multiple content types test:" },
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      },
    ],
  })),
  tool("test_error_handling", "Always fails.", async () => {
    throw new Error("This tool intentionally returns an error for testing");
  }),
  tool("test_tool_with_progress", "Tells three times how it goes.", async (_, { progress }) => {
    for (const part of ["begun", "half done", "done"]) {
      progress?.(part);
      await turn();
    }
    return { text: "Progress was told." };
  }),
  ...["test_tool_with_logging", "test_logging_tool"].map((name) =>
    tool(name, "Logs three times what it does.", async (_, { line }) => {
      for (const part of ["started", "processing data", "completed"]) {
        line?.log("info", `Tool execution ${part}`);
        await turn();
      }
      return { text: "It was logged." };
    }),
  ),
  tool("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", async () => ({
    text: "Nobody calls this.",
  })),
  ...askingTools,
];

const plain = { title: "A fixture", description: "A fixture of the suite." };

function still(name: string, template: string, read: Resource["read"]): Resource {
  return {
    ...{ name, template, ...plain, read },
    mimeType: "text/plain",
    shownBy: "list-computers",
    ...(template.includes("{") ? {} : { list: async () => [{ uri: template, name, ...plain }] }),
  };
}

export const fixtureResources: readonly Resource[] = [
  still("static-text", "test://static-text", async () => ({
    text: "This is the content of the static text resource.",
  })),
  still("static-binary", "test://static-binary", async () => ({
    blob: png,
    mimeType: "image/png",
  })),
  still("template", "test://template/{id}/data", async ({ id }) => ({
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    mimeType: "application/json",
  })),
  still("watched", "test://watched-resource", async () => ({ text: "Nothing has changed." })),
];

export const fixturePrompts: readonly Prompt[] = [
  {
    name: "test_simple_prompt",
    ...plain,
    arguments: [],
    content: async () => "This is a simple prompt for testing.",
  },
  {
    name: "test_prompt_with_arguments",
    ...plain,
    arguments: ["arg1", "arg2"].map((name) => ({
      name,
      description: "Any text.",
      required: true,
      complete: (typed: string) =>
        ["paris", "park", "party"].filter((word) => word.startsWith(typed)),
    })),
    content: async ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
  {
    name: "test_prompt_with_embedded_resource",
    ...plain,
    arguments: [{ name: "resourceUri", description: "Any address.", required: true }],
    content: async ({ resourceUri = "" }) => [
      {
        type: "resource",
        resource: {
          uri: resourceUri,
          mimeType: "text/plain",
          text: "Embedded resource content for testing.",
        },
      },
      { type: "text", text: "Please process the embedded resource above." },
    ],
  },
  {
    name: "test_prompt_with_image",
    ...plain,
    arguments: [],
    content: async () => [image, { type: "text", text: "Please analyze the image above." }],
  },
  askingPrompt,
];
