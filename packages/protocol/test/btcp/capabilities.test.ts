import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  covers,
  isCapability,
  isGrant,
  isGranted,
  missingOf,
  type Risk,
  riskOf,
  sortRequest,
} from "../../src/btcp/index.js";

const known = [
  "dom:read",
  "dom:write",
  "dom:observe",
  "dom:interact",
  "storage:local:read",
  "storage:local:write",
  "storage:indexed:read",
  "storage:indexed:write",
  "storage:cookie:read",
  "storage:cookie:write",
  "network:fetch:same-origin",
  "network:fetch:cross-origin",
  "clipboard:read",
  "clipboard:write",
  "media:camera",
  "geolocation",
  "notifications",
  "code:execute",
];
const wildcards = ["dom:*", "storage:*", "storage:local:*", "network:*", "*"];
const capability = fc.constantFrom(...known);
const grants = fc.array(fc.constantFrom(...known, ...wildcards), { maxLength: 6 });
const rank: Record<Risk, number> = { low: 0, medium: 1, high: 2, critical: 3 };

describe("capabilities", () => {
  it("to write include those to read, where the protocol says so", () => {
    expect(covers("dom:write", "dom:read")).toBe(true);
    expect(covers("storage:indexed:write", "storage:indexed:read")).toBe(true);
    expect(covers("network:fetch:cross-origin", "network:fetch:same-origin")).toBe(true);
    expect(covers("dom:read", "dom:write")).toBe(false);
    expect(covers("storage:local:write", "storage:session:read")).toBe(false);
    expect(covers("clipboard:write", "clipboard:read")).toBe(false);
  });

  it("never bring along a greater risk than their own", () => {
    fc.assert(
      fc.property(capability, capability, (grant, other) => {
        if (covers(grant, other))
          expect(rank[riskOf(other)]).toBeLessThanOrEqual(rank[riskOf(grant)]);
      }),
    );
  });

  it("are only ever added by a further grant", () => {
    fc.assert(
      fc.property(grants, grants, capability, (held, more, one) => {
        if (isGranted(one, held)) expect(isGranted(one, [...held, ...more])).toBe(true);
      }),
    );
  });

  it("are sorted into exactly one of granted, denied and pending, each name once", () => {
    const asked = fc.array(fc.oneof(capability, fc.string()), { maxLength: 12 });
    fc.assert(
      fc.property(asked, grants, (names, held) => {
        const { granted, denied, pending } = sortRequest(names, held);
        expect([...granted, ...denied, ...pending].sort()).toEqual([...new Set(names)].sort());
        expect(missingOf(granted, held)).toEqual([]);
        expect(missingOf([...denied, ...pending], held)).toEqual([...denied, ...pending]);
        for (const name of pending) expect(["medium", "high"]).toContain(riskOf(name));
        for (const name of denied) expect(riskOf(name)).toBe("critical");
      }),
    );
  });

  it("that are unknown need a grant by name or wildcard", () => {
    expect(riskOf("code:execute")).toBe("critical");
    expect(isGranted("code:execute", ["dom:*"])).toBe(false);
    expect(isGranted("code:execute", ["code:*"])).toBe(true);
  });

  it("with a malformed name are covered by nothing, not even everything", () => {
    const malformed = fc.string().filter((name) => !isCapability(name));
    fc.assert(fc.property(malformed, (name) => !isGranted(name, ["*", name])));
    for (const name of ["__proto__", "DOM:read", "dom:", "dom:*", "a:b:c:d", ""]) {
      expect(isCapability(name), name).toBe(false);
    }
  });

  it("may be granted by wildcard, of whole parts only", () => {
    for (const grant of [...wildcards, ...known]) expect(isGrant(grant), grant).toBe(true);
    for (const text of ["do*", "dom:re*", "**", "", "dom: read"]) expect(isGrant(text)).toBe(false);
    expect(covers("dom:*", "domain:read")).toBe(false);
    expect(covers("storage:local:*", "storage:session:read")).toBe(false);
  });
});
