// @ts-check
// Links that add ccbridge to a client with one click. Each starts the bridge by npx, or shares one that already runs.

const server = { command: "npx", args: ["-y", "ccbridge", "--stdio"] };

/** @param {unknown} value */
const base64 = (value) => Buffer.from(JSON.stringify(value)).toString("base64");

/** @param {Record<string, string | string[]>} parameters */
function query(parameters) {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}=${encodeURIComponent(each)}`),
  );
  return pairs.join("&");
}

const vscode = `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "ccbridge", ...server }))}`;

/** GitHub shows only https links, so each client has a page that redirects to its own scheme. */
export const installLinks = {
  "VS Code": `https://insiders.vscode.dev/redirect?${query({ url: vscode })}`,
  Cursor: `https://cursor.com/en/install-mcp?${query({ name: "ccbridge", config: base64(server) })}`,
  Goose: `https://block.github.io/goose/extension?${query({
    cmd: server.command,
    arg: server.args,
    id: "ccbridge",
    name: "ccbridge",
    description: "Work inside Minecraft through ComputerCraft",
  })}`,
  "LM Studio": `https://lmstudio.ai/install-mcp?${query({ name: "ccbridge", config: base64(server) })}`,
};
