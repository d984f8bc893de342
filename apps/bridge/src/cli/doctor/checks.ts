import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tokenWarnings } from "../../auth/token-warnings.js";
import { isOpenToNetwork } from "../../config/addresses.js";
import { linkAddresses, linkOrigins } from "../../config/public-urls.js";
import { type Config, settings } from "../../config/settings.js";
import {
  allowCommand,
  gameCommand,
  pairCommand,
  startCommand,
} from "../../config/shown-commands.js";
import { describeHealth, healthAt } from "../../http/health-client.js";
import { freePort } from "../../http/listen.js";
import { findConfigs } from "../allow/find-configs.js";
import { usualFolders } from "../allow/launchers.js";
import { planChange } from "../allow/plan.js";
import { settingWarnings, stateWarnings } from "../warnings.js";
import {
  bridgeOn,
  type Examination,
  type ExaminedListener,
  type Finding,
  fine,
  note,
  problem,
} from "./finding.js";

const NODE = [20, 19] as const;
const DAY_MS = 86_400_000;
/** A computer that reconnects does so within this time. */
const RECENT_MS = 5 * 60_000;
const PUBLIC_TIMEOUT_MS = 5_000;

export function checkNode({ context }: Examination): Finding[] {
  const { version, platform } = context.machine;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < NODE[0] || (major === NODE[0] && minor < NODE[1]);
  const text = `Node ${version} on ${platform}`;
  return [
    isOld ? problem(text, `Install Node ${NODE.join(".")} or newer from nodejs.org.`) : fine(text),
  ];
}

/** A clock before the program's build date is wrong, which makes wss certificates fail. */
export function checkClock({ context }: Examination): Finding[] {
  const now = context.machine.now();
  const built = statSync(fileURLToPath(import.meta.url)).mtimeMs;
  const text = `The clock says ${new Date(now).toISOString()}`;
  return [
    now < built - DAY_MS
      ? problem(`${text}, which is before this program was built`, "Set the clock of this machine.")
      : fine(text),
  ];
}

export async function checkListeners(examination: Examination): Promise<Finding[]> {
  const avoid = examination.listeners.map(({ port }) => port);
  const findings: Finding[] = [];
  for (const listener of examination.listeners) {
    const free = await freePort(listener.host, Math.max(listener.port, 1_023) + 1, avoid);
    if (listener.holder.kind === "stranger") avoid.push(free);
    findings.push(checkListener(listener, examination, free));
  }
  return findings;
}

function checkListener(
  listener: ExaminedListener,
  { config, context }: Examination,
  free: number,
): Finding {
  const { title, side, host, port, setting: variable, holder, name } = listener;
  const start = (changed: Partial<Config> = {}) =>
    startCommand({ config: { ...config, ...changed }, ownCommand: context.program });
  const at = `${title} port ${port} on ${host}`;
  switch (holder.kind) {
    case "free":
      return note(`${at} is free: no bridge runs here`, `Start one: ${start()}`);
    case "bridge":
      return holder.health.side === side
        ? fine(`${at}: a ccbridge answers${describeHealth(holder.health)}`)
        : problem(`${at} is another port of a ccbridge`, `Correct ${variable}.`);
    case "stranger":
      return problem(
        `${at} is in use by another program`,
        portOwnerCommand(context.machine.platform, port),
        `Stop that program, or start the bridge on a free port: ${start({ [name]: free })}`,
        "Later commands, this one too, need the same flags.",
      );
    case "unusable":
      return problem(`${at} cannot be used: ${holder.reason}`, `Correct ${variable} or its host.`);
  }
}

function portOwnerCommand(platform: NodeJS.Platform, port: number): string {
  if (platform === "win32") {
    return `To find it (PowerShell): Get-Process -Id (Get-NetTCPConnection -LocalPort ${port}).OwningProcess`;
  }
  return platform === "darwin"
    ? `To find it: lsof -nP -iTCP:${port} -sTCP:LISTEN`
    : `To find it: ss -ltnp 'sport = :${port}'`;
}

export async function checkAddresses(examination: Examination): Promise<Finding[]> {
  const { config } = examination;
  const origins = linkOrigins(config, config.linkPort);
  if (bridgeOn(examination, "link") === undefined) {
    return [note(`Computers will find the bridge at ${origins.join(", ")}`)];
  }
  if (config.linkPublicUrl !== "") return [];
  return Promise.all(
    origins.map(async (url) =>
      (await healthAt(url)) === undefined
        ? problem(
            `${url} does not answer, though it is an address of this machine`,
            `Set ${settings.linkHost.env} to 0.0.0.0, and check the firewall.`,
          )
        : fine(`Computers find the bridge at ${url}`),
    ),
  );
}

export async function checkPublicUrls(examination: Examination): Promise<Finding[]> {
  const { mcpPublicUrl, linkPublicUrl } = examination.config;
  const asked = [
    { side: "mcp", who: "Clients and browsers", url: mcpPublicUrl, name: "mcpPublicUrl" },
    { side: "link", who: "Computers", url: linkPublicUrl, name: "linkPublicUrl" },
  ] as const;
  const findings = asked.map(async ({ side, who, url, name }) => {
    if (url === "" || bridgeOn(examination, side) === undefined) return [];
    const health = await healthAt(url, PUBLIC_TIMEOUT_MS);
    if (health?.side === side) return [fine(`${who} find the bridge at ${url}`)];
    const { env } = settings[name];
    if (health !== undefined) {
      return [problem(`${url} (${env}) is the ${health.side} port of a ccbridge`, "Correct it.")];
    }
    return [
      problem(
        `${url} (${env}) does not answer as a ccbridge`,
        "Is the proxy or tunnel running, does the name point to it, and is its certificate valid?",
        "If other machines do reach it, this network only has no way back to its own public address.",
      ),
    ];
  });
  return (await Promise.all(findings)).flat();
}

export function checkFirewall({ config, context }: Examination): Finding[] {
  if (!isOpenToNetwork(config.linkHost)) {
    return [
      note(
        `Only this machine can reach the link port (${settings.linkHost.env}=${config.linkHost})`,
        config.linkPublicUrl !== ""
          ? `Others reach it at ${config.linkPublicUrl}, through the proxy.`
          : `If Minecraft runs on another one, set ${settings.linkHost.env} to 0.0.0.0.`,
      ),
    ];
  }
  const port = config.linkPort;
  const text = `A firewall must let port ${port} in if Minecraft runs on another machine`;
  switch (context.machine.platform) {
    case "win32":
      return [
        note(
          text,
          "Windows asks once whether Node.js may accept connections: allow it on private networks.",
          "If it was refused, in PowerShell as administrator:",
          `  New-NetFirewallRule -DisplayName ccbridge -Direction Inbound -Protocol TCP -LocalPort ${port} -Action Allow -Profile Private`,
        ),
      ];
    case "darwin":
      return [note(text, "System Settings > Network > Firewall > Options: allow node.")];
    default:
      return [
        note(
          text,
          `ufw:        sudo ufw allow ${port}/tcp`,
          `firewalld:  sudo firewall-cmd --permanent --add-port=${port}/tcp && sudo firewall-cmd --reload`,
        ),
      ];
  }
}

export function checkSettings({ config, context }: Examination): Finding[] {
  const findings = settingWarnings(config).map((warning) => {
    // An open link port is usual at home; an open MCP port gives control over every computer.
    const isUsual = warning.includes(`${settings.linkHost.env}=`);
    return isUsual ? note(warning) : problem(warning);
  });
  for (const name of ["mcpTokens", "linkTokens"] as const) {
    const { length } = config[name];
    if (length > 0) findings.push(fine(`${settings[name].env}: ${length} set`));
  }
  findings.push(...stateWarnings(config).map((warning) => problem(warning)));
  const weak = tokenWarnings(config, context.machine.platform);
  return [...findings, ...weak.map((warning) => note(warning))];
}

export async function checkWorlds({ config, context }: Examination): Promise<Finding[]> {
  const { configs } = await findConfigs(usualFolders(context.machine));
  if (configs.length === 0) {
    return [
      note(
        "No world or server with CC:Tweaked is in the usual places on this machine",
        `If yours is elsewhere: ${allowCommand({ config, ownCommand: context.program, linkPort: config.linkPort })} <folder>`,
      ),
    ];
  }
  const addresses = linkAddresses(config, config.linkPort);
  const plans = await Promise.all(
    configs.map((found) => planChange(found, { addresses, remove: false })),
  );
  const refused = plans.flatMap((plan) => ("problem" in plan ? [plan] : []));
  const denying = plans.filter((plan) => "edit" in plan && plan.edit.lines.length > 0);
  const findings = refused.map(({ path, problem: why }) => problem(`${path}: ${why}`));
  for (const plan of plans) {
    if (!("off" in plan) || plan.off.length === 0) continue;
    findings.push(
      problem(
        `${plan.path}: http.${plan.off.join(", http.")} is false`,
        "Set it to true, then restart the game or server.",
      ),
    );
  }
  const worlds = `${plans.length} ${plans.length === 1 ? "configuration" : "configurations"}`;
  findings.push(
    denying.length === 0
      ? fine(`${worlds} of CC:Tweaked found; none denies this bridge`)
      : problem(
          `This bridge is denied by ${denying.length} of ${worlds} of CC:Tweaked: "Domain not permitted"`,
          `Let them reach it: ${allowCommand({ config, ownCommand: context.program, linkPort: config.linkPort })}`,
        ),
  );
  return findings;
}

export function checkLinks(examination: Examination): Finding[] {
  const { config, context } = examination;
  const health = bridgeOn(examination, "mcp");
  if (health === undefined) return [];
  const { computers = 0, waiting = 0, lastLinkMsAgo, lastRefusal } = health;
  const findings: Finding[] = [];
  if (lastRefusal && lastRefusal.msAgo < RECENT_MS) {
    findings.push(
      problem(
        `A computer was refused ${duration(lastRefusal.msAgo)} ago: ${lastRefusal.reason}`,
        "The bridge's log shows the address.",
      ),
    );
  }
  if (waiting > 0) {
    findings.push(
      note(
        `${waiting} ${waiting === 1 ? "computer waits" : "computers wait"} for your approval`,
        `Approve it in the dashboard, or by the code on its screen: ${pairCommand({ config, ownCommand: context.program, mcpPort: config.mcpPort })}`,
      ),
    );
  }
  if (computers > 0) {
    const last =
      typeof lastLinkMsAgo === "number" ? `, the last ${duration(lastLinkMsAgo)} ago` : "";
    findings.push(
      fine(`${computers} ${computers === 1 ? "computer is" : "computers are"} linked${last}`),
    );
  } else if (waiting === 0) {
    // Behind a proxy the bridge does not report the time: the request may not come from this
    // machine.
    const since =
      lastLinkMsAgo === undefined
        ? ""
        : lastLinkMsAgo === null
          ? "; none has been since the bridge started"
          : `; the last link was made ${duration(lastLinkMsAgo)} ago`;
    findings.push(
      note(
        `No computer is linked${since}`,
        `Type this on a computer in the game: ${gameCommand(config, config.linkPort)}`,
      ),
    );
  }
  return findings;
}

/** Command computers that are not servers because the owner has not allowed them. */
export function checkOfferedServers(examination: Examination): Finding[] {
  const { offeredServers = [] } = bridgeOn(examination, "mcp") ?? {};
  return offeredServers.map((code) =>
    note(
      `Computer ${code.split("-")[0]} offers to be a Minecraft server, and is not allowed`,
      `If its screen shows ${code}, add that to ${settings.minecraftCommandComputers.env} and restart the bridge.`,
    ),
  );
}

function duration(ms: number): string {
  const units = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1_000, "second"],
  ] as const;
  const [size, name] = units.find(([unit]) => ms >= unit) ?? units[3];
  const count = Math.round(ms / size);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
