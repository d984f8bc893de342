import { join } from "node:path";
import type { ComputerIdentity } from "@ccbridge/registry";
import { expect, it } from "vitest";
import { type ApprovalRequest, Approvals } from "../../src/calls/approvals.js";
import { Pairing } from "../../src/pairing/pairing.js";
import { scratchDirectory } from "../helpers/scratch.js";

const request: ApprovalRequest = {
  trace: "t",
  client: "kim",
  tool: "exec-lua",
  targets: [],
  question: "May it?",
  subject: "{}",
  choices: [{ value: "call", title: "This call" }],
};

it("a client whose questions nobody answers does not keep others from asking", async () => {
  const approvals = new Approvals();
  const stop = approvals.subscribe(() => {});
  const ask = (client: string) => approvals.ask({ ...request, client });
  const asked = Array.from({ length: 100 }, () => ask("greedy"));
  const others = ["alice", "bob"].map(ask);
  const waiting = approvals.list();
  expect(waiting.filter(({ client }) => client === "greedy")).toHaveLength(16);
  expect(waiting.map(({ client }) => client)).toEqual(expect.arrayContaining(["alice", "bob"]));
  // Everybody is answered in the end.
  stop();
  const answers = await Promise.all([...asked, ...others]);
  expect(answers.every((answer) => "unanswered" in answer)).toBe(true);
});

it("a machine with many addresses does not take all the codes for pairing", () => {
  const pairing = new Pairing({ path: join(scratchDirectory(), "paired.json") });
  const open = (computerId: number, address: string) => {
    const identity = { key: `computer ${computerId}`, computerId, label: null, world: null };
    const events = { confirmed() {}, expired() {} };
    return pairing.open(identity as ComputerIdentity, address, events);
  };
  for (let host = 1; host <= 100; host++) open(host, `2001:db8::${host.toString(16)}`);
  expect(pairing.pending()).toHaveLength(16);
  expect(open(101, "192.0.2.1")).toBeDefined();
  pairing.close();
});
