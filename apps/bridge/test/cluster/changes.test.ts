import { noNats } from "@ccbridge/cluster/testing";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, it } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startCluster } from "./start-cluster.js";

describe.skipIf(noNats !== undefined)(`changes in a cluster${noNats ? ` (${noNats})` : ""}`, () => {
  it("are listed, page by page, and undone on any bridge, wherever they were called", async () => {
    const [a, b] = await startCluster({}, {});
    const computer = await linkGameComputer(b, await startWorld(), { id: 12 });
    const [viaA, viaB] = [await connectClient(a.mcpUrl), await connectClient(b.mcpUrl)];
    await expect.poll(() => write(viaA, "/a", "1")).toBe(false);
    for (const [client, path] of [
      [viaB, "/b"],
      [viaA, "/c"],
      [viaB, "/d"],
    ] as const) {
      expect(await write(client, path, path)).toBe(false);
    }
    for (const client of [viaA, viaB]) {
      const { changes } = await list(client);
      expect(changes.map(({ subject }) => subject)).toEqual(["/d", "/c", "/b", "/a"]);
    }

    // Undone on the other bridge than the one that keeps it: it is marked there.
    const [, third, second] = (await list(viaB)).changes;
    const { text } = await callTool(viaB, "undo-change", { changes: [third?.id] });
    expect(text).toContain("Undone: 1 change.");
    await callTool(viaA, "undo-change", { changes: [second?.id] });
    expect(["/a", "/b", "/c", "/d"].filter((path) => computer.fs.exists(path))).toEqual([
      "/a",
      "/d",
    ]);
    for (const client of [viaA, viaB]) {
      const { changes } = await list(client, { file: "/c" });
      expect(changes.map(({ canBeUndone }) => canBeUndone)).toEqual([true, false]);
    }
  });

  it("are read on from a cursor through another bridge, none twice and none left out", async () => {
    const [a, b] = await startCluster({}, {});
    await linkGameComputer(a, await startWorld(), { id: 12 });
    const clients = [await connectClient(a.mcpUrl), await connectClient(b.mcpUrl)] as const;
    await expect.poll(() => write(clients[1], "/0", "")).toBe(false);
    const written = Array.from({ length: 60 }, (_, n) => `/${n + 1}`);
    for (const [n, path] of written.entries()) {
      // Several by one bridge, then several by the other.
      await write(clients[Math.floor(n / 7) % 2] as Client, path, "x");
    }
    const seen: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page === 0 || cursor !== undefined; page++) {
      const found = await list(clients[page % 2] as Client, { ...(cursor && { cursor }) });
      seen.push(...found.changes.map(({ subject }) => subject));
      cursor = found.cursor;
    }
    expect(seen).toEqual(["/0", ...written].reverse());
  });
});

async function write(client: Client, path: string, content: string): Promise<boolean> {
  const { isError } = await callTool(client, "write-file", { computerId: 12, path, content });
  return isError === true;
}

interface Listed {
  readonly changes: readonly { id: string; subject: string; canBeUndone: boolean }[];
  readonly cursor?: string;
}

async function list(client: Client, args: Record<string, unknown> = {}): Promise<Listed> {
  return (await callTool(client, "list-changes", args)).structuredContent as unknown as Listed;
}
