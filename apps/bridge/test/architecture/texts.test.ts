import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** From here on a text is a sentence; less is a fact: a name, a state, a number with its unit. */
const SENTENCE_WORDS = 7;
/** Sentences that may be outside the one place. Lower it with each that is moved; never raise it. */
const MAX_OUTSIDE = 30;

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

const files = execFileSync("git", ["ls-files", "-z", "*.test.ts"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((file) => file !== "")
  .map((file) => ({ file, source: readFileSync(join(root, file), "utf8") }));

it("tests compare with sentences only by name: vitest.texts.json has each once", () => {
  expect(files.length).toBeGreaterThan(200);
  const outside = files.flatMap(({ file, source }) =>
    sentencesIn(source).map((text) => `${file}: ${text}`),
  );
  const isBounded = outside.length <= MAX_OUTSIDE;
  expect(isBounded ? [] : outside).toEqual([]);
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
