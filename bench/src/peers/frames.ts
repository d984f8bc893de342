// Literal frames, so that their cost does not depend on the protocol package.

export const code = "return turtle.getFuelLevel()";

export function hello(computerId: number) {
  return {
    type: "hello",
    protocol: 2,
    computerId,
    computerLabel: `turtle-${computerId}`,
    agent: { name: "mcp-computer", version: "1.0.0" },
    kind: "turtle",
    advanced: true,
    host: "ComputerCraft 1.117.1 (Minecraft 1.20.1)",
    instance: `5f0c9a7e${String(computerId).padStart(8, "0")}`,
    methods: ["ping", "exec-lua"],
    features: ["acks", "cancel", "chunk", "jobs", "output", "surrogates"],
    maxFrame: 130_048,
  };
}

export function execRequest(id: string) {
  return { type: "request", id, method: "exec-lua", params: { code } };
}

export function execResponse(id: string) {
  const result = { returns: [{ type: "number", value: 980 }], output: "" };
  return { type: "response", id, ok: true, result };
}

export function pingResponse(id: string, computerId: number) {
  const result = `pong from ${computerId} (Label: turtle-${computerId})`;
  return { type: "response", id, ok: true, result };
}
