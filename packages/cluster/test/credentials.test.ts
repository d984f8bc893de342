import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NatsOptions } from "../src/index.js";
import { noNats, startNats } from "../src/testing.js";
import { link, seen, startBridge, type TestBridge } from "./harness.js";
import { type Keys, makeAccount, makeUser } from "./nats-keys.js";

const docs = readFileSync(new URL("../../../docs/cluster.md", import.meta.url), "utf8");
/** What a bridge needs, as it is documented. */
const [permissions = ""] = /permissions: \{[^}]*\}/.exec(docs) ?? [];
const joined = { state: "joined" };
const wrong = { user: "bridge", password: "wrong" };

describe.skipIf(noNats !== undefined)(
  `a NATS server that asks who comes${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("takes a user and password, in the address or beside it, with no more rights than the docs name", async () => {
      expect(permissions).toContain("publish");
      const nats = await configured(
        `authorization { users = [{ user: bridge, password: "s3cret/#", ${permissions} }] }`,
      );
      await work(nats, { user: "bridge", password: "s3cret/#" });
      await work(nats, {}, "bridge:s3cret%2F%23@");
      await refused(nats, wrong);
    });

    it("takes a token", async () => {
      const nats = await configured("authorization { token: sesame }");
      await work(nats, { token: "sesame" });
      await work(nats, {}, "sesame@");
      await refused(nats, { token: "other" });
    });

    it("takes an nkey from a file", async () => {
      const { seed, publicKey } = makeUser();
      const nats = await configured(
        `authorization { users = [{ nkey: ${publicKey}, ${permissions} }] }`,
      );
      const nkeyFile = file("bridge.nk", `${seed}\n`);
      await work(nats, { nkeyFile });
      await refused(nats, { nkeyFile: file("other.nk", makeUser().seed) });
    });

    it("takes a file of credentials", async () => {
      const account = makeAccount();
      const nats = await configured(account.serverConfig);
      await work(nats, { credsFile: file("bridge.creds", account.credentials()) });
      const stranger: Keys = makeAccount();
      await refused(nats, { credsFile: file("other.creds", stranger.credentials()) });
    });

    it("is reached over TLS, and knows a bridge by its certificate", async () => {
      const { ca, server, bridge } = certificates();
      const nats = await configured(
        `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca}", verify: true }`,
      );
      await work(nats, { caFile: ca, certFile: bridge.cert, keyFile: bridge.key });
      // Without a certificate, and with a server of an unknown authority.
      await refused(nats, { caFile: ca });
      const other = certificates();
      await refused(nats, {
        caFile: other.ca,
        certFile: other.bridge.cert,
        keyFile: other.bridge.key,
      });
    });

    it("says which file is wrong", async () => {
      const nats = await configured("authorization { token: sesame }");
      await refused(nats, { nkeyFile: file("empty.nk", "nothing") }, "seed");
      await refused(nats, { credsFile: "/no/such/file" }, "/no/such/file");
    });
  },
);

type Nats = Awaited<ReturnType<typeof startNats>>;

async function configured(config: string): Promise<Nats> {
  const nats = await startNats({ args: ["-c", file("nats.conf", config)] });
  onTestFinished(() => nats[Symbol.asyncDispose]());
  return nats;
}

function open({ port }: Nats, options: Partial<NatsOptions>, login = ""): TestBridge {
  const servers = [`nats://${login}127.0.0.1:${port}`];
  const bridge = startBridge("", { nats: { servers, pingMs: 500, ...options } });
  onTestFinished(() => bridge.close());
  return bridge;
}

/** Two bridges that need all that the cluster does: the directory, calls, what is shared, and the history. */
async function work(nats: Nats, options: Partial<NatsOptions>, login?: string): Promise<void> {
  const [a, b] = [open(nats, options, login), open(nats, options, login)];
  const received: unknown[] = [];
  for (const [origin, { cluster }] of [a, b].entries()) {
    cluster.history.start({
      ...{
        origin: String(origin),
        maxAgeMs: 3_600_000,
        maxBytes: 1_048_576,
        after: { sinceMs: 1_000 },
      },
      receive: async (rows) => void received.push(...rows),
    });
  }
  await expect.poll(() => [a.cluster.status, b.cluster.status]).toEqual([joined, joined]);
  const computer = link(b, 1);
  await seen(a, computer.key);
  const answer = await a.port.request(computer.key, "ping", undefined, { timeoutMs: 5_000 });
  expect(answer.ok).toBe(true);
  a.cluster.shared.put("test", "name", 1);
  await expect.poll(() => b.cluster.shared.get("test", "name")).toBe(1);
  await expect
    .poll(() => [a.cluster.history.trouble, b.cluster.history.trouble])
    .toEqual([undefined, undefined]);
  a.cluster.history.add({ n: 1 });
  await expect.poll(() => received).toEqual([{ n: 1 }]);
  await Promise.all([a.close(), b.close()]);
}

async function refused(nats: Nats, options: Partial<NatsOptions>, reason = ""): Promise<void> {
  const { cluster } = open(nats, options);
  await expect.poll(() => cluster.status.trouble ?? "").toContain(reason);
  await expect
    .poll(() => cluster.status)
    .toMatchObject({ state: "alone", trouble: expect.any(String) });
  expect(cluster.members()).toEqual([]);
  await cluster.close();
}

function file(name: string, text: string): string {
  const path = join(scratch(), name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An authority, and what it signed for a server on 127.0.0.1 and for a bridge. */
function certificates() {
  const folder = scratch();
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync("openssl", args, { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  run(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=test ca",
    "-days",
    "2",
  );
  const sign = (name: string, extension: string) => {
    run("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    writeFileSync(join(folder, `${name}.ext`), extension);
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
    run(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      ...by,
      "-extfile",
      `${name}.ext`,
      "-out",
      `${name}.pem`,
    );
    return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  };
  const server = sign("server", "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n");
  const bridge = sign("bridge", "extendedKeyUsage=clientAuth\n");
  const ca = join(folder, "ca.pem");
  expect(readFileSync(ca, "utf8")).toContain("CERTIFICATE");
  return { ca, server, bridge };
}
