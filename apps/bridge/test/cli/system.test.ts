import { describe, expect, it } from "vitest";
import { despiteLocks, isSamePath, stopSignals } from "../../src/system.js";

function failing(code: string, times: number) {
  let calls = 0;
  const action = async () => {
    calls++;
    if (calls <= times) throw Object.assign(new Error(code), { code });
    return "done";
  };
  return { action, calls: () => calls };
}

describe("signals", () => {
  it("end the program when a Windows user closes the window, but spare nohup", () => {
    expect(stopSignals("win32")).toContain("SIGHUP");
    expect(stopSignals("linux")).toEqual(["SIGINT", "SIGTERM"]);
  });
});

describe("paths", () => {
  it.each([
    ["win32", "C:\\Scripts\\Lib", "c:\\scripts\\lib", true],
    ["darwin", "/Users/a/Lib", "/Users/a/lib", true],
    ["linux", "/home/a/Lib", "/home/a/lib", false],
    ["win32", "C:\\Scripts", "C:\\Elsewhere", false],
  ] as const)("on %s: %s and %s", (platform, a, b, same) => {
    expect(isSamePath(a, b, platform)).toBe(same);
  });
});

describe("files that another program holds", () => {
  it.each(["EPERM", "EACCES", "EBUSY"])("are tried again on Windows (%s)", async (code) => {
    const { action, calls } = failing(code, 2);
    expect(await despiteLocks(action, "win32")).toBe("done");
    expect(calls()).toBe(3);
  });

  it("are given up after a while", async () => {
    const { action, calls } = failing("EBUSY", Number.POSITIVE_INFINITY);
    await expect(despiteLocks(action, "win32")).rejects.toThrow("EBUSY");
    expect(calls()).toBe(5);
  });

  it.each([
    ["another fault", "ENOSPC", "win32"],
    ["another system", "EPERM", "linux"],
  ] as const)("are not tried again for %s", async (_name, code, platform) => {
    const { action, calls } = failing(code, 1);
    await expect(despiteLocks(action, platform)).rejects.toThrow(code);
    expect(calls()).toBe(1);
  });
});
