import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    main: "src/main.ts",
    "mcp-server": "src/floors/mcp-server.ts",
    "ws-echo": "src/floors/ws-echo.ts",
    "ws-server": "src/floors/ws-server.ts",
    "bridge-heap": "src/peers/bridge-heap.ts",
    computers: "src/peers/computers.ts",
    "event-computers": "src/peers/event-computers.ts",
    soak: "src/soak/main.ts",
    "soak-bridge": "src/soak/bridge.ts",
    "soak-computers": "src/soak/computers.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  // One file per program, like the bridge: start-up time is measured.
  splitting: false,
  clean: true,
});
