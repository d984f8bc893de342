import { join } from "node:path";
import type { ComputerProvider } from "@ccbridge/registry";
import { describe, expect, it, onTestFinished } from "vitest";
import { Pairing } from "../../../src/auth/pairing/pairing.js";
import { type ApprovalRequest, Approvals } from "../../../src/calls/approvals.js";
import { limits } from "../../../src/config/limits.js";
import { scratchDirectory } from "../../helpers/scratch.js";

const request: ApprovalRequest = {
  trace: "t",
  client: "kim",
  tool: "exec-lua",
  targets: [],
  question: "May it?",
  subject: "{}",
  choices: [{ value: "call", title: "This call" }],
};

it("a client whose questions stay unanswered does not keep others from asking", async () => {
  const approvals = new Approvals();
  const stop = approvals.subscribe(() => {});
  const ask = (client: string) => approvals.ask({ ...request, client });
  const asked = Array.from({ length: 100 }, () => ask("greedy"));
  const others = ["alice", "bob"].map(ask);
  const waiting = approvals.list();
  expect(waiting.filter(({ client }) => client === "greedy")).toHaveLength(16);
  expect(waiting.map(({ client }) => client)).toEqual(expect.arrayContaining(["alice", "bob"]));
  stop();
  const answers = await Promise.all([...asked, ...others]);
  expect(answers.every((answer) => "unanswered" in answer)).toBe(true);
});

describe("computers that wait for approval", () => {
  function startPairing() {
    const pairing = new Pairing({ path: join(scratchDirectory(), "paired.json"), mode: "auto" });
    onTestFinished(() => pairing.close());
    const displaced: string[] = [];
    const open = (key: string, address: string) => {
      const provider = { key, computerId: 1, label: null, world: null } as ComputerProvider;
      const ended = () => void displaced.push(key);
      const computer = { provider, origin: { address }, showsCode: true };
      return pairing.open(computer, { approved() {}, ended })?.code;
    };
    return { pairing, displaced, open };
  }

  it("of a machine with many addresses count as one", () => {
    const { pairing, open } = startPairing();
    for (let host = 1; host <= 100; host++) open(`${host}`, `2001:db8::${host.toString(16)}`);
    expect(pairing.pending()).toHaveLength(limits.pairingsPerAddress);
    expect(open("other", "192.0.2.1")).toBeDefined();
    expect(pairing.pending()).toHaveLength(limits.pairingsPerAddress + 1);
  });

  it("always get a code, behind the address of a greedy one too", () => {
    const { pairing, displaced, open } = startPairing();
    const honest = open("honest", "192.0.2.1");
    for (let round = 0; round < 100; round++) open("greedy", "192.0.2.1");
    const second = open("second", "192.0.2.1");
    expect(new Set(displaced)).toEqual(new Set(["greedy"]));
    const codes = pairing.pending().map(({ code }) => code);
    expect(codes).toHaveLength(limits.pairingsPerAddress);
    expect(codes).toEqual(expect.arrayContaining([honest, second]));
    for (let round = 0; round < 100; round++) open(`made up ${round}`, "192.0.2.1");
    const third = open("third", "192.0.2.1");
    for (let round = 0; round < 20; round++) open(`more ${round}`, "192.0.2.1");
    expect(pairing.pending().map(({ code }) => code)).toEqual(
      expect.arrayContaining([honest, second, third]),
    );
  });

  it("keep their codes when another one claims to be them", () => {
    const { pairing, open } = startPairing();
    const honest = open("honest", "192.0.2.1");
    for (let round = 0; round < 100; round++) open("honest", "192.0.2.1");
    expect(pairing.pending().map(({ code }) => code)).toContain(honest);
  });

  it("of many addresses do not push out the one of another address", () => {
    const { pairing, displaced, open } = startPairing();
    const honest = open("honest", "192.0.2.1");
    for (let round = 0; round < 2 * limits.pairings; round++) {
      open(`made up ${round}`, `198.51.100.${1 + (round % 8)}`);
    }
    expect(pairing.pending()).toHaveLength(limits.pairings);
    expect(displaced).not.toContain("honest");
    expect(pairing.confirm(honest ?? "", "owner")).toBeDefined();
  });

  it("leave first when they were declined", () => {
    const { pairing, displaced, open } = startPairing();
    open("first", "192.0.2.1");
    const declined = open("declined", "192.0.2.1");
    expect(pairing.decline(declined ?? "", "owner")).toBe(true);
    expect(pairing.confirm(declined ?? "", "owner")).toBeUndefined();
    for (let round = 2; round <= limits.pairingsPerAddress; round++) open(`${round}`, "192.0.2.1");
    expect(displaced).toEqual(["declined"]);
  });
});
