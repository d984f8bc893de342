import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withSection } from "../../apps/bridge/test/helpers/generated.js";
import { root } from "../../scripts/package-managers.mjs";
import { installLinks } from "../install-links.mjs";

const started = { command: "npx", args: ["-y", "ccbridge", "--stdio"] };

describe("the links that install ccbridge", () => {
  const parameters = (client: keyof typeof installLinks) =>
    new URL(installLinks[client]).searchParams;

  it("give VS Code the name and the command", () => {
    const inner = new URL(parameters("VS Code").get("url") ?? "");
    expect(`${inner.protocol}${inner.pathname}`).toBe("vscode:mcp/install");
    const config = JSON.parse(decodeURIComponent(inner.search.slice(1)));
    expect(config).toEqual({ name: "ccbridge", ...started });
  });

  it.each(["Cursor", "LM Studio"] as const)("give %s the command as base64", (client) => {
    const config = Buffer.from(parameters(client).get("config") ?? "", "base64").toString();
    expect(parameters(client).get("name")).toBe("ccbridge");
    expect(JSON.parse(config)).toEqual(started);
  });

  it("give Goose each argument", () => {
    const given = parameters("Goose");
    expect([given.get("cmd"), given.getAll("arg")]).toEqual([started.command, started.args]);
  });

  it("are in docs/install.md", async () => {
    const file = join(root, "docs/install.md");
    const links = Object.entries(installLinks).map(([client, link]) => `[${client}](${link})`);
    const document = withSection(readFileSync(file, "utf8"), "install links", links.join(" · "));
    await expect(document).toMatchFileSnapshot(file);
  });
});
