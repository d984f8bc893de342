import { nearestName } from "../../format/nearest-name.js";
import { inline } from "../../format/set-apart.js";
import { isRecord, type JsonSchema, textsOf } from "./walk.js";

// Sentences about what a schema allows.

export function unknownArgument(name: string, known: readonly string[]): string {
  const close = nearestName(name, known);
  const hint =
    close !== undefined
      ? `Did you mean ${close}?`
      : known.length === 0
        ? "It takes no arguments."
        : `The arguments are ${known
            .slice(0, 40)
            .map((each) => inline(each, 64))
            .join(", ")}.`;
  return `There is no argument ${name}. ${hint}`;
}

export function forms(all: readonly JsonSchema[]): string {
  const required = all.map((form) => (isRecord(form) ? textsOf(form.required) : []));
  if (required.length > 8 || required.some((names) => names.length === 0)) return "";
  const words = required.map((names) =>
    names
      .slice(0, 8)
      .map((each) => inline(each, 64))
      .join(" and "),
  );
  return ` (with ${words.join(", or with ")})`;
}
