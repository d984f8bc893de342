import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** From here on a text is a sentence; less is a fact: a name, a state, a number with its unit. */
const SENTENCE_WORDS = 5;
/** A text is ours if as many of its words follow each other in a source of the product; others are a test's data. */
const OUR_WORDS = 4;

const isMatcher = /^(to[A-Z]\w*|string(Containing|Matching)|(object|array)Containing)$/;

/** The texts of at least a sentence that the assertions of a test compare with. */
function sentencesIn(source: string): string[] {
  const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node, isCompared: boolean): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const isCheck = isMatcher.test(node.expression.name.text);
      visit(node.expression, isCompared && !isCheck);
      for (const argument of node.arguments) visit(argument, isCompared || isCheck);
      return;
    }
    if (isCompared && ts.isPropertyAssignment(node)) return visit(node.initializer, true);
    const text = isCompared ? textOf(node) : undefined;
    if (text === undefined) ts.forEachChild(node, (child) => visit(child, isCompared));
    else if (wordsIn(text) >= SENTENCE_WORDS) found.push(text);
  };
  visit(file, false);
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(" ");
}

function wordsIn(text: string): number {
  return text.match(/[A-Za-z][a-z']*(?=[\s.,:;!?]|$)/g)?.length ?? 0;
}

function rowsOfWords(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z][a-z']*/g) ?? [];
  const last = words.length - OUR_WORDS;
  return words.flatMap((_, at) => (at > last ? [] : words.slice(at, at + OUR_WORDS).join(" ")));
}

/** The given rows of words that sources of the product contain. */
function ourRows(rows: ReadonlySet<string>, sources: readonly string[]): Set<string> {
  const joined = sources.map((source) => source.replace(/"\s*\+\s*"/g, ""));
  return new Set(joined.flatMap((source) => rowsOfWords(source).filter((row) => rows.has(row))));
}

function read(...patterns: string[]): { file: string; source: string }[] {
  return execFileSync("git", ["ls-files", "-z", ...patterns], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "")
    .map((file) => ({ file, source: readFileSync(join(root, file), "utf8") }));
}

const files = read("*.test.ts");

it("tests compare with sentences of ours only by name: vitest.texts.json has each once", () => {
  expect(files.length).toBeGreaterThan(200);
  const compared = files.flatMap(({ file, source }) =>
    sentencesIn(source).map((text) => ({ file, text, rows: rowsOfWords(text) })),
  );
  const product = read(
    "apps/*/src/*.ts",
    "apps/*/src/*.tsx",
    "packages/*/src/*.ts",
    ":!packages/cc-host",
    "lua/*.lua",
  );
  expect(product.length).toBeGreaterThan(500);
  const ours = ourRows(
    new Set(compared.flatMap(({ rows }) => rows)),
    product.map(({ source }) => source),
  );
  const outside = compared.filter(({ rows }) => rows.some((row) => ours.has(row)));
  expect(outside.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});

it("every text of vitest.texts.json is compared with somewhere", () => {
  const used = new Set(
    files.flatMap(({ source }) => [...source.matchAll(/\btexts\.(\w+)/g)].map(([, name]) => name)),
  );
  expect(Object.keys(texts).filter((name) => !used.has(name))).toEqual([]);
  const all = Object.values(texts);
  expect(all.filter((text, index) => all.indexOf(text) !== index)).toEqual([]);
});

it("the check finds sentences in strings, patterns and templates, but not in titles and calls", () => {
  const sentence = "one two three four five six seven";
  expect(sentencesIn(`expect(a).toContain("${sentence}")`)).toEqual([sentence]);
  expect(sentencesIn(`expect(a).not.toMatch(/^${sentence} eight/)`)).toHaveLength(1);
  expect(
    sentencesIn(`expect(a).toEqual({ b: \`one two \${c} three four five six seven\` })`),
  ).toHaveLength(1);
  expect(sentencesIn(`it("${sentence}", () => expect(run("${sentence}")).toBe(1))`)).toEqual([]);
  expect(sentencesIn('expect(a).toBe("one two three")')).toEqual([]);
});

it("a sentence is ours when a source of the product has four of its words in a row", () => {
  const rows = new Set(rowsOfWords("^The door is open now\\.$"));
  expect(ourRows(rows, ['const a = "The door " +\n  "is open";']).size).toBe(1);
  expect(ourRows(rows, ['const a = "The door was open";']).size).toBe(0);
});
