import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { isPublicAddress } from "../../src/alerts/public-address.js";
import { Webhooks } from "../../src/alerts/webhooks.js";

const post = { time: 0, title: "ccbridge", text: "computer 12: redstone left 15" };

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

async function receiver(status = 204, headers: Record<string, string> = {}) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: await text(request) });
    response.writeHead(status, headers).end("x".repeat(100_000));
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { received, port };
}

/** Names that lead to this machine, as if that were outside. */
function openTo(names: readonly string[], port: number) {
  const hosts = names.map((name) => `http://${name}:${port}`);
  return new Webhooks({ hosts, resolve: async () => ["127.0.0.1"], isAllowed: () => true });
}

describe("a webhook", () => {
  it("gets the body that ntfy, Discord and others understand", async () => {
    const { received, port } = await receiver();
    const webhooks = openTo(["ntfy.example", "discord.com", "hooks.example"], port);
    for (const url of [
      "ntfy.example:PORT/base",
      "discord.com:PORT/api/webhooks/1/x",
      "hooks.example:PORT/",
    ]) {
      const problem = await webhooks.post(`http://${url.replace("PORT", String(port))}`, post);
      expect(problem).toBeUndefined();
    }
    const [ntfy, discord, other] = received;
    expect(ntfy).toMatchObject({ path: "/base", body: post.text, headers: { title: "ccbridge" } });
    expect(JSON.parse(discord?.body ?? "")).toEqual({
      content: `**ccbridge** ${post.text}`,
      allowed_mentions: { parse: [] },
    });
    expect(JSON.parse(other?.body ?? "")).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      title: "ccbridge",
      text: post.text,
    });
  });

  it("gets JSON without half characters, also where a text is cut", async () => {
    const { received, port } = await receiver();
    const webhooks = openTo(["discord.com", "hooks.example"], port);
    for (const host of ["discord.com", "hooks.example"]) {
      for (const before of ["", "a"]) {
        const text = `\ud83d ${before}${"\u{1f422}".repeat(2_000)}`;
        expect(await webhooks.post(`http://${host}:${port}/`, { ...post, text })).toBeUndefined();
      }
    }
    expect(received).toHaveLength(4);
    for (const { body } of received) expect(body).not.toMatch(/\\ud[89a-f]/);
  });

  it("goes only to hosts on the list, by TLS, and names no user", () => {
    const webhooks = new Webhooks({ hosts: ["ntfy.sh", "hooks.example:8443"] });
    for (const good of [
      "https://ntfy.sh/a",
      "https://NTFY.sh:443/a",
      "https://hooks.example:8443/",
    ]) {
      expect(webhooks.problem(good), good).toBeUndefined();
    }
    for (const bad of [
      "https://ntfy.sh.evil.example/a",
      "https://ntfy.sh@evil.example/a",
      "https://user:word@ntfy.sh/a",
      "https://ntfy.sh:8443/a",
      "http://ntfy.sh/a",
      "https://hooks.example/",
      "file:///etc/passwd",
      "ntfy.sh/a",
    ]) {
      expect(webhooks.problem(bad), bad).toEqual(expect.any(String));
    }
    expect(new Webhooks({ hosts: [] }).problem("https://ntfy.sh/a")).toContain(
      "ALERT_WEBHOOK_HOSTS",
    );
  });

  it("never reaches an address inside the network, by number or by name", async () => {
    const { received, port } = await receiver();
    const named = (addresses: string[]) =>
      new Webhooks({ hosts: [`http://hooks.example:${port}`], resolve: async () => addresses });
    for (const addresses of [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"], []]) {
      const problem = await named(addresses).post(`http://hooks.example:${port}/`, post);
      expect(problem, addresses.join()).toEqual(expect.any(String));
    }
    for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"]) {
      const url = new URL(`http://${host}:${port}/`);
      const webhooks = new Webhooks({ hosts: [url.origin] });
      expect(await webhooks.post(url.href, post), host).toContain("inside the network");
    }
    expect(received).toEqual([]);
  });

  it("connects to the address that was checked, even if the name changes its address", async () => {
    const { received, port } = await receiver();
    let lookups = 0;
    const webhooks = new Webhooks({
      hosts: [`http://rebinding.example:${port}`],
      // The first answer is harmless; a second lookup would lead inside.
      resolve: async () => [lookups++ === 0 ? "192.0.2.1" : "127.0.0.1"],
      isAllowed: (address) => address === "192.0.2.1",
    });
    const sent = webhooks.post(`http://rebinding.example:${port}/`, post, 300);
    expect(await sent).toEqual(expect.any(String));
    expect(lookups).toBe(1);
    expect(received).toEqual([]);
  });

  it("follows no redirect, and says what the host answered", async () => {
    const inside = await receiver();
    const { port } = await receiver(302, { location: `http://127.0.0.1:${inside.port}/` });
    const webhooks = openTo(["hooks.example"], port);
    expect(await webhooks.post(`http://hooks.example:${port}/`, post)).toContain("answered 302");
    expect(inside.received).toEqual([]);
  });
});

describe("public addresses", () => {
  it.each(["10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"])(
    "do not include %s, mapped or not",
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
      expect(isPublicAddress(`::ffff:${address}`)).toBe(false);
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const hex = [a * 256 + b, c * 256 + d].map((part) => part.toString(16)).join(":");
      for (const prefix of ["::ffff:", "64:ff9b::", "2002:"]) {
        const inside = prefix === "2002:" ? `2002:${hex}::1` : `${prefix}${hex}`;
        expect(isPublicAddress(inside), inside).toBe(false);
      }
    },
  );

  it.each([
    "fe80::1",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "::",
    "::1",
    "2001:db8::1",
    "localhost",
    "",
  ])("do not include %j", (address) => expect(isPublicAddress(address)).toBe(false));

  it("include those of the internet", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [first = 0, second = 0] = address.split(".").map(Number);
        const isPlain = first > 0 && first < 100 && first !== 10;
        fc.pre(isPlain || (first > 128 && first < 169) || (first === 172 && second > 31));
        expect(isPublicAddress(address)).toBe(true);
      }),
    );
    expect(isPublicAddress("2606:4700::6810:84e5")).toBe(true);
  });
});
