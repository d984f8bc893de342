import { expect, it } from "vitest";
import { loadCommand } from "../../src/config/load.js";
import { scratchFile } from "../helpers/scratch.js";

const load = (env: Record<string, string>) => loadCommand({ argv: [], env });

it("a bridge for any Host does not start without a token, and says why", () => {
  expect(() => load({ MCP_ALLOWED_HOSTS: "*" })).toThrow(/DNS rebinding.*MCP_TOKENS/);
  expect(() => load({ MCP_ALLOWED_HOSTS: "bridge.lan,*" })).toThrow(/DNS rebinding/);
});

it("with a token, or for names, it starts", () => {
  expect(load({ MCP_ALLOWED_HOSTS: "*", MCP_TOKENS: "hush" }).action).toBe("serve");
  const file = scratchFile("hush\n");
  expect(load({ MCP_ALLOWED_HOSTS: "*", MCP_TOKENS_FILE: file }).action).toBe("serve");
  expect(load({ MCP_ALLOWED_HOSTS: "bridge.lan" }).action).toBe("serve");
});
