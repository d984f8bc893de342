/** The command that starts this program again, for texts that show what to type. */
export function ownCommand(env: Readonly<Record<string, string | undefined>>): string {
  const { npm_lifecycle_event: script, npm_config_user_agent: agent = "", npm_command } = env;
  const pnpm = /^pnpm\/([\w.-]+)/.exec(agent)?.[1];
  if (script === "start" && pnpm !== undefined) return `npx -y pnpm@${pnpm} start`;
  return npm_command === "exec" ? "npx @ccbridge/bridge" : "ccbridge";
}
