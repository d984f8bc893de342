export type Risk = "low" | "medium" | "high" | "critical";

const risks = new Map<string, Risk>([
  ["dom:read", "low"],
  ["dom:observe", "low"],
  ["dom:write", "medium"],
  ["dom:interact", "medium"],
  ["dom:shadow", "medium"],
  ["storage:local:read", "low"],
  ["storage:local:write", "medium"],
  ["storage:session:read", "low"],
  ["storage:session:write", "medium"],
  ["storage:indexed:read", "medium"],
  ["storage:indexed:write", "high"],
  ["storage:cookie:read", "high"],
  ["storage:cookie:write", "critical"],
  ["network:fetch:same-origin", "medium"],
  ["network:fetch:cross-origin", "high"],
  ["network:websocket:same-origin", "medium"],
  ["network:websocket:cross-origin", "high"],
  ["clipboard:read", "high"],
  ["clipboard:write", "medium"],
  ["media:camera", "critical"],
  ["media:microphone", "critical"],
  ["media:screen", "critical"],
  ["geolocation", "high"],
  ["notifications", "low"],
]);

const implied = new Map<string, string>([
  ["dom:write", "dom:read"],
  ["storage:local:write", "storage:local:read"],
  ["storage:session:write", "storage:session:read"],
  ["storage:indexed:write", "storage:indexed:read"],
  ["network:fetch:cross-origin", "network:fetch:same-origin"],
]);

const capabilityPattern = /^[a-z]{1,32}(?::[a-z][a-z-]{0,31}){0,2}$/;
const grantPattern = /^(?:\*|[a-z]{1,32}(?::[a-z][a-z-]{0,31}){0,2}(?::\*)?)$/;

export function isCapability(value: unknown): value is string {
  return typeof value === "string" && capabilityPattern.test(value);
}

export function isGrant(text: string): boolean {
  return grantPattern.test(text);
}

export function riskOf(capability: string): Risk {
  return risks.get(capability) ?? "critical";
}

export function covers(grant: string, capability: string): boolean {
  if (!isCapability(capability)) return false;
  if (grant === "*" || grant === capability || implied.get(grant) === capability) return true;
  return grant.endsWith(":*") && capability.startsWith(grant.slice(0, -1));
}

export function isGranted(capability: string, grants: Iterable<string>): boolean {
  if (riskOf(capability) === "low") return true;
  for (const grant of grants) if (covers(grant, capability)) return true;
  return false;
}

export function missingOf(capabilities: readonly string[], grants: Iterable<string>): string[] {
  const held = [...grants];
  return capabilities.filter((capability) => !isGranted(capability, held));
}

export interface CapabilityAnswer {
  granted: string[];
  denied: string[];
  pending: string[];
}

/** Medium and high risks wait for a person; critical and unknown ones can only be granted by configuration. */
export function sortRequest(
  capabilities: readonly string[],
  grants: Iterable<string>,
): CapabilityAnswer {
  const held = [...grants];
  const answer: CapabilityAnswer = { granted: [], denied: [], pending: [] };
  for (const capability of new Set(capabilities)) {
    if (isGranted(capability, held)) answer.granted.push(capability);
    else if (riskOf(capability) === "critical") answer.denied.push(capability);
    else answer.pending.push(capability);
  }
  return answer;
}
