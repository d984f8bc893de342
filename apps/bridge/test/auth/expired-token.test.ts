import { afterEach, expect, it, vi } from "vitest";
import { Clients } from "../../src/auth/clients.js";
import { readEndDate, readTokenLine, type TokenLine } from "../../src/auth/rights/token-line.js";

afterEach(() => vi.useRealTimers());

const line = (text: string) => readTokenLine(text, "line-1") as TokenLine;

it("a token works until the end of its last day; its sessions are reported once", () => {
  vi.useFakeTimers({ now: new Date(2027, 0, 31, 23, 59, 59) });
  const clients = new Clients([line("a-token name=alice until=2027-01-31")]);
  const gone: string[][] = [];
  clients.onGone((each) => gone.push([...each].map(({ name }) => name)));
  const alice = clients.find("a-token");
  expect(alice?.name).toBe("alice");
  clients.dropExpired();
  expect(gone).toEqual([]);
  vi.setSystemTime(new Date(2027, 1, 1));
  expect(clients.find("a-token")).toBeUndefined();
  expect(alice !== undefined && clients.has(alice)).toBe(false);
  clients.dropExpired();
  clients.dropExpired();
  expect(gone).toEqual([["alice"]]);
  expect(clients.list()).toEqual([]);
});

it("a bridge whose last token expires stays closed", () => {
  const clients = new Clients([line("a-token until=2020-01-01")]);
  expect(clients.required).toBe(true);
  expect(clients.find(undefined)).toBeUndefined();
  expect(clients.find("a-token")).toBeUndefined();
});

it.each([
  ["2027-01-31", new Date(2027, 1, 1).getTime()],
  ["2028-02-29", new Date(2028, 2, 1).getTime()],
  ["2027-02-29", undefined],
  ["2027-13-01", undefined],
  ["tomorrow", undefined],
  ["", undefined],
])("reads the date %j", (text, end) => {
  expect(readEndDate(text)).toBe(end);
});
