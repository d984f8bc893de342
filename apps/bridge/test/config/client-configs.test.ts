import { describe, expect, it } from "vitest";
import { clientConfig, clients } from "../../src/config/client-configs.js";
import { environmentOf } from "../../src/config/settings.js";
import { config } from "./helpers.js";

describe("client configuration", () => {
  const options = { url: "http://127.0.0.1:3000/mcp", command: ["node", "/opt/ccbridge/main.js"] };

  it.each(clients)("for %s is ready to use", (client) => {
    expect(clientConfig(client, options)).toMatchSnapshot();
  });

  it.each(clients)("for %s contains the token that the user asked for", (client) => {
    const token = "s3cret";
    const configured = clientConfig(client, { ...options, token, env: { MCP_TOKENS: token } });
    expect(configured.text).toContain(token);
    expect(configured).toMatchSnapshot();
  });

  it("quotes a token that a shell would change", () => {
    const { text } = clientConfig("claude-code", { ...options, token: "a$b'c" });
    expect(text).toContain(`--header 'Authorization: Bearer a$b'\\''c'`);
  });

  it("gives a client that starts the bridge the settings it was asked with", () => {
    const env = environmentOf(config(["--mcp-port", "4000"]));
    const { text } = clientConfig("claude-desktop", { ...options, env });
    expect(JSON.parse(text).mcpServers.ccbridge.env).toEqual({ MCP_PORT: "4000" });
  });
});
