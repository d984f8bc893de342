import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ComputerProvider,
  computerAddress,
  LinkError,
  matchesSelector,
  selectComputer,
  selectorOf,
} from "../../../src/index.js";
import { identifyComputer } from "../../../src/kinds/computer/provider.js";
import { computerAddresses } from "../../../src/kinds/computer/selector.js";

interface Candidate {
  provider: ComputerProvider;
}

// Few values, so that ids, labels, worlds and instances often coincide.
const place = fc.constantFrom(null, "a", "b", "12", "12@a", "");
const id = fc.constantFrom(0, 1, 12);
const label = fc.constantFrom(null, "12", "12@a", "12@", "a", "base turtle", "@a", "base@a");

const candidate: fc.Arbitrary<Candidate> = fc
  .record({ computerId: id, computerLabel: label, world: place, instance: place })
  .map((hello) => ({
    provider: identifyComputer({
      type: "hello",
      protocol: 2,
      methods: [],
      features: [],
      jobs: [],
      programs: [],
      ...hello,
      world: hello.world ?? undefined,
      instance: hello.instance ?? undefined,
    }),
  }));

const linked = fc.uniqueArray(candidate, {
  selector: ({ provider }) => provider.key,
  maxLength: 8,
});

const selector = fc.oneof(
  id,
  id.map(String),
  fc.tuple(id, place).map(([number, where]) => `${number}@${where ?? ""}`),
  label.filter((text) => text !== null),
);

function outcome(wanted: number | string, computers: readonly Candidate[]) {
  try {
    return selectComputer(wanted, computers).provider.key;
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return error.code;
  }
}

describe("which computer is meant", () => {
  it("is one that fits, or an error when none or several do", () => {
    fc.assert(
      fc.property(selector, linked, (wanted, computers) => {
        const fitting = computers.filter(({ provider }) => matchesSelector(wanted, provider));
        const [only] = fitting;
        const expected =
          only === undefined ? "not-linked" : fitting.length > 1 ? "ambiguous" : only.provider.key;
        expect(outcome(wanted, computers)).toBe(expected);
      }),
    );
  });

  it("follows the rule, read from the text in another way", () => {
    fc.assert(
      fc.property(selector, candidate, (wanted, { provider }) => {
        const text = String(wanted);
        const [digits = "", ...rest] = text.split("@");
        const isId = /^[0-9]+$/.test(digits);
        const where = rest.join("@");
        const places = [provider.world, provider.instance];
        const isThere = where === "" ? places.every((each) => !each) : places.includes(where);
        const expected = isId
          ? Number(digits) === provider.computerId && (!text.includes("@") || isThere)
          : provider.label === text;
        expect(matchesSelector(wanted, provider)).toBe(expected);
      }),
    );
  });

  it("is the same in a subscription to changes, by address", () => {
    fc.assert(
      fc.property(selector, candidate, (wanted, { provider }) => {
        const isAddressed = computerAddresses(provider).includes(computerAddress(wanted));
        expect(isAddressed).toBe(matchesSelector(wanted, provider));
      }),
    );
  });

  it("is the same for a number and its digits", () => {
    fc.assert(
      fc.property(id, linked, (number, computers) => {
        expect(outcome(number, computers)).toBe(outcome(String(number), computers));
      }),
    );
  });

  it("can be said of every linked computer, and never leads to another one", () => {
    fc.assert(
      fc.property(linked, (computers) => {
        for (const { provider } of computers) {
          expect([provider.key, "ambiguous"]).toContain(
            outcome(selectorOf(provider, computers), computers),
          );
        }
      }),
    );
  });

  it("is named with all candidates when it is not clear", () => {
    fc.assert(
      fc.property(id, linked, (number, computers) => {
        try {
          selectComputer(number, computers);
        } catch (error) {
          const { code, message } = error as LinkError;
          const named = code === "ambiguous" ? "@" : "(Label: ";
          const meant = computers.filter(
            ({ provider }) => code === "not-linked" || provider.computerId === number,
          );
          expect(message.split(named).length - 1).toBeGreaterThanOrEqual(meant.length);
        }
      }),
    );
  });
});
