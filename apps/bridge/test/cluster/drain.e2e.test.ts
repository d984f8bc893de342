import { noNats, startNats } from "@ccbridge/cluster/testing";
import { expect, it, onTestFinished } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startMember } from "./chaos-world.js";

it.skipIf(noNats !== undefined)(
  `a process that is stopped lets a call of several seconds end${noNats ? ` (${noNats})` : ""}`,
  async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const member = await startMember("one", nats.port);
    const other = await startTestBridge({ cluster: [nats.url] });
    const code = "return 1";
    let finish = () => {};
    const programs = {
      [code]: async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return [{ type: "number", value: 41 }];
      },
    };
    const { fake, closed } = await linkComputer(member.linkUrl, { computerId: 12, programs });
    const client = await connectClient(other.mcpUrl);
    await expect.poll(async () => (await callTool(client, "list-computers")).text).toContain("12");
    const calling = callTool(client, "exec-lua", { computerId: 12, code });
    await expect
      .poll(() => fake.received.some((frame) => JSON.stringify(frame).includes(code)))
      .toBe(true);
    const exit = member.bridge.kill("SIGTERM");
    // It is asked every second whether it lives.
    const begun = fake.received.length;
    await expect.poll(() => fake.received.length - begun).toBeGreaterThan(3);
    finish();
    expect((await calling).text).toContain("41");
    await closed;
    expect(await exit).toEqual({ code: 0, signal: null });
  },
);
