import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { pair } from "../../src/cli/pair.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer, openSocket } from "../helpers/computer.js";
import { fromRemote, startProxy } from "../helpers/proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked, placeComputer, screenText, startWorld } from "./helpers.js";

const OWNER = "the-owners-token";

/** The program as it is in the repository, a file for each module. */
function programFiles(): Record<string, string> {
  const root = fileURLToPath(new URL("../../../../lua", import.meta.url));
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  const sources = paths.filter((path) => path.endsWith(".lua"));
  return Object.fromEntries(
    sources.map((path) => [`/${path}`, readFileSync(join(root, path), "utf8")]),
  );
}

async function startPairing(settings = {}) {
  const pairingFile = join(scratchDirectory(), "state", "paired.json");
  const bridge = await startTestBridge({
    pairing: "on",
    pairingFile,
    mcpTokens: [OWNER],
    ...settings,
  });
  return { bridge, pairingFile };
}

async function runPair(
  bridge: TestBridge,
  options: { code?: string; revoke?: string } = {},
  token = OWNER,
) {
  let text = "";
  const config = { ...bridge.config, mcpPort: bridge.mcpPort, mcpTokens: [token] };
  const context = {
    print(more: string) {
      text += more;
    },
  } as never;
  const code = await pair({ code: options.code, revoke: options.revoke, config }, context);
  return { code, text };
}

const codeOn = (text: string) => /\b[A-Z0-9]{3}-[A-Z0-9]{3}\b/.exec(text)?.[0];

it("a computer shows a code, is paired by its owner, and has its own secret from then on", async () => {
  const { bridge, pairingFile } = await startPairing({ linkTokens: ["shared-token"] });
  const world = await startWorld();
  const computer = await placeComputer(world);
  computer.type(`mcp-computer ${bridge.linkUrl} --token shared-token\n`);
  await computer.until(() => codeOn(computer.screen.text()) !== undefined);
  const code = codeOn(computer.screen.text()) ?? "";
  expect(isLinked(bridge, 12)).toBe(false);
  expect((await runPair(bridge)).text).toContain(`${code}  Computer 12 (Label: base-turtle)`);

  const confirmed = await runPair(bridge, { code: code.toLowerCase().replace("-", "") });
  expect(confirmed).toEqual({ code: 0, text: "Computer 12 (Label: base-turtle) is approved.\n" });
  await computer.until(() => isLinked(bridge, 12));
  await computer.until(() => computer.screen.text().includes("linked as 12"));

  // Hashed, and readable for the owner only.
  const keys = computer.fs.read("/.mcp-computer.secret");
  const [, secret] = /secret = "(\S+) /.exec(keys) ?? [];
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(pairingFile, "utf8")).not.toContain(secret);
  if (process.platform !== "win32") expect(statSync(pairingFile).mode & 0o777).toBe(0o600);

  computer.reboot();
  await computer.until(() => !isLinked(bridge, 12));
  await computer.until(() => /(^|\n)[\w/]*>\s*$/.test(computer.screen.text()));
  computer.type("mcp-computer\n");
  await computer.until(() => isLinked(bridge, 12));
  expect(bridge.pairing?.pending()).toEqual([]);

  const link = bridge.computers.list()[0];
  const { instance } = link?.provider ?? {};
  const { socket } = await openSocket(bridge.linkUrl);
  const answer = new Promise<string>((resolve) =>
    socket.once("message", (data) => resolve(String(data))),
  );
  const hello = {
    type: "hello",
    computerId: 12,
    protocol: 2,
    instance,
    token: "shared-token",
    features: ["pairing"],
  };
  socket.send(JSON.stringify(hello));
  expect(JSON.parse(await answer)).toMatchObject({ type: "pairing", code: expect.any(String) });
  expect(bridge.pairing?.pending()).toMatchObject([{ computerId: 12, replaces: true }]);
  expect(bridge.computers.list()[0]).toBe(link);
  socket.terminate();

  // Only this one is revoked: its link ends, and it must be paired again.
  expect(await runPair(bridge, { revoke: "13" })).toEqual({
    code: 1,
    text: texts.noApprovedComputerHasThis,
  });
  expect(await runPair(bridge, { revoke: "Base-Turtle" })).toMatchObject({ code: 0 });
  await computer.until(() => !isLinked(bridge, 12));
  // Said at once, before the computer has dialled again and waits.
  const client = await connectClient(bridge.mcpUrl, { authorization: `Bearer ${OWNER}` });
  const { text } = await callTool(client, "exec-lua", { computerId: 12, code: "return 1" });
  expect(text).toContain(texts.untilItsOwnerApproves);
  expect(text).not.toContain("comes back by itself");
  await computer.until(() =>
    (bridge.pairing?.pending() ?? []).some(({ computerId }) => computerId === 12),
  );

  // Approved once more, it is revoked by its code and by its id.
  for (const name of ["code", "id"]) {
    const code = bridge.pairing?.pending().find(({ computerId }) => computerId === 12)?.code ?? "";
    expect((await runPair(bridge, { code })).code).toBe(0);
    await computer.until(() => isLinked(bridge, 12));
    expect((await runPair(bridge)).text).toContain(`\n  ${code}  Computer 12 (Label: base-turtle)`);
    expect(await runPair(bridge, { revoke: name === "code" ? code : "12" })).toMatchObject({
      code: 0,
    });
    await computer.until(() => (bridge.pairing?.pending() ?? []).length > 0);
  }
});

it("only a token without limits pairs, and only a code that is shown", async () => {
  const { bridge } = await startPairing();
  expect(await runPair(bridge, { code: "AAA-AAA" })).toEqual({
    code: 1,
    text: texts.noComputerWaitsWithThis,
  });
  const response = await fetch(new URL("/pairing", bridge.mcpUrl));
  expect(response.status).toBe(401);
});

it("gives no code without the shared token, and refuses an agent that cannot be paired", async () => {
  const { bridge } = await startPairing({ linkTokens: ["shared-token"] });
  const stranger = await linkComputer(bridge.linkUrl, { computerId: 5 });
  expect(await stranger.closed).toMatchObject({ code: 4401 });
  const old = await linkComputer(bridge.linkUrl, { computerId: 6, token: "shared-token" });
  expect(await old.closed).toMatchObject({ code: 4401, reason: expect.stringContaining("paired") });
  expect(bridge.pairing?.pending()).toEqual([]);
});

it("a bridge without pairing reports that", async () => {
  const bridge = await startTestBridge({ pairing: "off", mcpTokens: [OWNER] });
  expect(await runPair(bridge)).toEqual({
    code: 1,
    text: texts.thisBridgeRunsWith,
  });
});

it("the real program behind a proxy shows that it is linked and waits, with the code to approve it by", async () => {
  const { bridge } = await startPairing({ pairing: "auto" });
  const port = await startProxy(bridge.linkPort);
  const world = await startWorld();
  const computer = await placeComputer(world);
  computer.type(`mcp-computer ws://127.0.0.1:${port}\n`);
  await computer.until(() => codeOn(computer.screen.text()) !== undefined);
  const code = codeOn(computer.screen.text()) ?? "";
  expect(screenText(computer)).toContain(fill(texts.linkedWaitingForApproval, code));
  expect(screenText(computer)).toContain(`ccbridge pair ${code}`);
  expect(isLinked(bridge, 12)).toBe(false);
  expect((await runPair(bridge)).text).toContain(
    `${code}  Computer 12 (Label: base-turtle), from 203.0.113.5 through 127.0.0.1\n`,
  );
  expect((await runPair(bridge, { code })).code).toBe(0);
  await computer.until(() => isLinked(bridge, 12));
  await computer.until(() => computer.screen.text().includes("linked as 12"));

  const local = await placeComputer(world, { id: 13 });
  local.type(`mcp-computer ${bridge.linkUrl}\n`);
  await local.until(() => isLinked(bridge, 13));
});

it.each([
  ["by the owner's token", [OWNER], / by \S+\n$/],
  ["without tokens, by nobody in particular", [], /, since [\d-]+\n$/],
])(
  "an old agent is listed with what it is recognized by, and approved by the code of the list, %s",
  async (_, mcpTokens, approved) => {
    const { bridge } = await startPairing({ pairing: "auto", mcpTokens });
    const hello = { computerId: 7, label: "old", protocol: 1 } as const;
    await linkComputer(bridge.linkUrl, hello, fromRemote());
    const { text } = await runPair(bridge);
    expect(text).toContain(texts.computerLabelOldFromThrough);
    expect((await runPair(bridge, { code: "7" })).code).toBe(1);
    expect((await runPair(bridge, { code: codeOn(text) ?? "" })).code).toBe(0);
    expect(isLinked(bridge, 7)).toBe(true);
    const listed = (await runPair(bridge)).text;
    expect(listed).toContain("Computer 7 (Label: old) at 203.0.113.5 through 127.0.0.1, since ");
    expect(listed).toMatch(approved);
  },
);

it("the real program without pairing appears linked, and reconnects once it is approved", async () => {
  const files = programFiles();
  const protocol = "/mcp/protocol.lua";
  const old = files[protocol]?.replace('"pairing", "surrogates"', '"surrogates"') ?? "";
  expect(old).not.toBe(files[protocol]);
  const { bridge } = await startPairing({ pairing: "auto" });
  const port = await startProxy(bridge.linkPort);
  const world = await startWorld();
  const computer = await placeComputer(world, { files: { ...files, [protocol]: old } });
  computer.type(`mcp-computer ws://127.0.0.1:${port}\n`);
  await computer.until(() => computer.screen.text().includes("linked as 12"));
  expect(isLinked(bridge, 12)).toBe(false);
  const [pending] = bridge.pairing?.pending() ?? [];
  expect(pending).toMatchObject({ computerId: 12, label: "base-turtle", showsCode: false });
  expect(computer.screen.text()).not.toContain(pending?.code);
  expect((await runPair(bridge, { code: pending?.code ?? "" })).code).toBe(0);
  await computer.until(() => isLinked(bridge, 12));
  const client = await connectClient(bridge.mcpUrl, { authorization: `Bearer ${OWNER}` });
  const { text } = await callTool(client, "exec-lua", { computerId: 12, code: "return 6 * 7" });
  expect(text).toContain("42");
});
