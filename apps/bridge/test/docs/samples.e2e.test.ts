import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** What the text around a sample says is there already. */
const given: Readonly<Record<string, string>> = {
  "packages/cc-host": "declare const programText: string;",
  "packages/cluster": `import type { Registry } from "@ccbridge/registry";
    declare const registry: Registry;`,
  "packages/lua-agent": `import { startAgent } from "./test/start-agent.js"; const url = "";`,
  "packages/pages": `declare function useEffect(run: () => void, on: unknown[]): void;
    declare const cart: unknown; declare function pay(cart: unknown): Promise<string>;`,
  "packages/registry": `import type { Job } from "@ccbridge/registry";
    declare function it(name: string, run: () => unknown): void;
    declare function linkOfTheAgentUnderTest(): never;`,
};

/** All whose README has a sample. */
const folders = [
  ...["cc-host", "cluster", "lua-agent", "mcp-tools", "pages", "protocol", "registry", "store"].map(
    (name) => `packages/${name}`,
  ),
  "apps/bridge",
];

const samples = new Map(
  folders.map((folder) => {
    const readme = readFileSync(join(root, folder, "README.md"), "utf8");
    const blocks = [...readme.matchAll(/^```tsx?\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
    const text =
      blocks.length === 0 ? "" : [given[folder] ?? "", ...blocks, "export {};"].join("\n");
    return [join(root, folder, "readme-sample.ts"), text];
  }),
);

it("the samples in the READMEs of all packages compile", () => {
  expect([...samples].filter(([, text]) => text === "")).toEqual([]);
  // As if each were a file of its package; nothing is written.
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  options.lib = ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"];
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => samples.has(name) || fileExists(name);
  // Samples may use what their package does not depend on.
  options.typeRoots = [join(root, "apps/bridge/node_modules/@types")];
  options.paths = { ws: [join(root, "apps/bridge/node_modules/@types/ws/index.d.mts")] };
  host.readFile = (name) => samples.get(name) ?? readFile(name);
  host.getSourceFile = (name, ...rest) => {
    const text = samples.get(name);
    return text === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  };
  const program = ts.createProgram([...samples.keys()], options, host);
  const problems = [...samples.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  expect(
    problems.map(({ file, messageText, start = 0 }) => {
      const line = file?.text.slice(0, start).split("\n").length;
      return `${file?.fileName}:${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    }),
  ).toEqual([]);
});
