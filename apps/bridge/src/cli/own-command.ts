type Env = Readonly<Record<string, string | undefined>>;

/** The command that starts this program again, for texts that show what to type. */
export function ownCommand(env: Env): string {
  const { npm_lifecycle_event: script, npm_config_user_agent: agent = "" } = env;
  const { CCBRIDGE_COMMAND: started } = env;
  const pnpm = /^pnpm\/([\w.-]+)/.exec(agent)?.[1];
  if (script === "start" && pnpm !== undefined) return `npx -y pnpm@${pnpm} start`;
  // Set by start.js in a clone.
  if (started !== undefined) return started;
  return isRunByNpx(env) ? "npx ccbridge" : "ccbridge";
}

export function programCommand(program: string, env: Env, platform: NodeJS.Platform): string[] {
  // npx deletes and replaces its copies.
  if (!isRunByNpx(env)) return ["node", program];
  // On Windows npx is a .cmd file, which only a shell can run.
  return [...(platform === "win32" ? ["cmd", "/c"] : []), "npx", "-y", "ccbridge"];
}

function isRunByNpx({ npm_command, npm_lifecycle_script = "" }: Env): boolean {
  return npm_command === "exec" && /^['"]?ccbridge(?:['"\s]|$)/.test(npm_lifecycle_script);
}
