interface CommandFlag {
  /** What its value looks like; a flag without one is a switch. */
  value?: string;
  description: string;
}

interface Subcommand {
  args?: string;
  description: string;
  flags: Readonly<Record<string, CommandFlag>>;
}

const table = {
  allow: {
    args: "[folder...]",
    description:
      'Ends "Domain not permitted": adds a rule for this bridge to the ComputerCraft configuration of the worlds and servers on this machine, or of those in the folders given. Shows each change first and makes a backup.',
    flags: {
      remove: { description: "Remove these rules again." },
      yes: { description: "Do not ask." },
      address: {
        value: "host[:port]",
        description: "Where computers reach the bridge, if it runs on another machine.",
      },
    },
  },
  token: {
    args: "list | add | remove NAME | rotate NAME",
    description:
      "Manages the tokens of MCP clients in MCP_TOKENS_FILE. `add` creates one with the rights of the flags and prints the client's configuration; `rotate` replaces one and keeps its rights. A running bridge follows at once. Owner and mode of the file stay.",
    flags: {
      name: { value: "name", description: "What to call it in the audit and the log." },
      mode: {
        value: "look|ask|all",
        description: "Only look, ask a person first, or do everything.",
      },
      tools: { value: "list", description: "Groups and tools it may use: core,files,-exec-lua." },
      computers: { value: "list", description: "What it sees: 12,label:farm-*,world:survival." },
      allow: {
        value: "list",
        description:
          "Tools of Minecraft servers that others may not use: teleport_player,give_item.",
      },
      rate: { value: "count/time", description: "How often it may call: 300/min." },
      quota: { value: "count/time", description: "How many calls in total: 5000/day." },
      until: { value: "date", description: "The last day on which it is accepted: 2027-01-31." },
      client: { value: "client", description: "The client to configure. [claude-code]" },
    },
  },
  pair: {
    args: "[code]",
    description:
      "Approves the computer that shows this code, on the bridge that runs here. Without a code it lists the computers that wait for approval and those that have it.",
    flags: {
      revoke: {
        value: "computer",
        description: "Revoke the approval of a computer, by its id, its label or its code.",
      },
    },
  },
  "update-agents": {
    args: "[computer...]",
    description:
      "Updates mcp-computer on the computers with these ids or labels, or on all that are linked to the bridge that runs here, one after another. It stops at a computer that does not come back.",
    flags: {},
  },
  doctor: {
    description:
      "Looks for what keeps a bridge, a client and a computer from connecting: ports, addresses, firewall, tokens, links, worlds that do not allow it, the clock. Says what to do.",
    flags: {},
  },
  "minecraft-agent": {
    args: "[folder]",
    description:
      "Links the unmodified Minecraft server in a folder to a bridge, by RCON and its log. Runs beside the server, and takes the flags of that program: `ccbridge minecraft-agent --help`.",
    flags: {},
  },
} as const satisfies Record<string, Subcommand>;

export type SubcommandName = keyof typeof table;

export const subcommands: Readonly<Record<SubcommandName, Subcommand>> = table;

export function isSubcommand(name: string): name is SubcommandName {
  return Object.hasOwn(subcommands, name);
}
