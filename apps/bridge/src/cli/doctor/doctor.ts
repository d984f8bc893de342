import { planListeners } from "../../config/listeners.js";
import { portHolder } from "../../http/listen.js";
import type { CommandContext } from "../context.js";
import { checkCluster } from "./check-cluster.js";
import {
  checkAddresses,
  checkClock,
  checkFirewall,
  checkLinks,
  checkListeners,
  checkNode,
  checkOfferedServers,
  checkPublicUrls,
  checkSettings,
  checkWorlds,
} from "./checks.js";
import type { DoctorOptions, Examination, Finding } from "./finding.js";

/**
 * `ccbridge doctor`: finds what keeps bridge, clients and computers from connecting. Returns 1 if
 * there is a problem.
 */
export async function doctor(options: DoctorOptions, context: CommandContext): Promise<number> {
  const { config } = options;
  const listeners = await Promise.all(
    planListeners(config).map(async (plan) => ({
      ...plan,
      holder: await portHolder(plan.host, plan.port),
    })),
  );
  const examination: Examination = { ...options, context, listeners };
  context.print(`ccbridge ${options.version}, examined from this machine\n\n`);
  let problems = 0;
  for (const check of [
    checkNode,
    checkClock,
    checkListeners,
    checkAddresses,
    checkPublicUrls,
    checkFirewall,
    checkSettings,
    checkWorlds,
    checkLinks,
    checkCluster,
    checkOfferedServers,
  ]) {
    for (const finding of await check(examination)) {
      if (finding.level === "problem") problems++;
      context.print(formatFinding(finding));
    }
  }
  context.print(
    problems === 0
      ? "\nNo problem was found from here.\n"
      : `\n${problems} ${problems === 1 ? "problem" : "problems"}. Follow the arrows, then run this again.\n`,
  );
  return problems === 0 ? 0 : 1;
}

const marks = { fine: "  ok       ", note: "  note     ", problem: "  PROBLEM  " } as const;

function formatFinding({ level, text, advice = [] }: Finding): string {
  const margin = " ".repeat(marks.fine.length);
  return [`${marks[level]}${text}`, ...advice.map((line) => `${margin}-> ${line}`), ""].join("\n");
}
