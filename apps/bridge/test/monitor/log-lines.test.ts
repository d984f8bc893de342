import { once } from "node:events";
import pino from "pino";
import { describe, expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { initializeBody, post } from "../helpers/http.js";

function recorder() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, log };
}

describe("the log", () => {
  it("is not filled by a computer that sends hellos without end", async () => {
    const { lines, log } = recorder();
    const bridge = await startTestBridge({}, log);
    const { fake, socket } = await linkComputer(bridge.linkUrl, { computerId: 1 });
    for (let said = 0; said < 3_000; said++) fake.sayHello();
    socket.close();
    await once(socket, "close");
    await vi.waitFor(() => expect(bridge.registry.size).toBe(0));
    await bridge.close();
    expect(lines.length).toBeLessThan(40);
    const linked = lines.filter(({ msg }) => msg === "computer linked").length;
    const rest = lines.find(({ message }) => message === "computer linked");
    expect(rest === undefined || Number(rest.suppressed) > linked).toBe(true);
  });

  it("names the address of a wrong token, never the token", async () => {
    const { lines, log } = recorder();
    const bridge = await startTestBridge({ mcpTokens: ["right"], linkTokens: ["right"] }, log);
    const headers = { authorization: "Bearer a-wrong-guess" };
    expect((await post(bridge.mcpUrl, { body: initializeBody, headers })).status).toBe(401);
    await linkComputer(bridge.linkUrl, { computerId: 1, token: "a-wrong-guess" });
    for (const msg of ["MCP token refused", "link token refused"]) {
      expect(lines).toContainEqual(expect.objectContaining({ msg, address: "127.0.0.1" }));
    }
    expect(JSON.stringify(lines)).not.toContain("guess");
  });
});
