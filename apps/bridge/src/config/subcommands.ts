/** A flag that only one command has. */
interface CommandFlag {
  /** What its value looks like; a flag without one is a switch. */
  value?: string;
  description: string;
}

interface Subcommand {
  /** What it takes beside flags, for --help. */
  takes?: string;
  description: string;
  flags: Readonly<Record<string, CommandFlag>>;
}

const table = {
  allow: {
    takes: "[folder...]",
    description:
      'Ends "Domain not permitted": adds a rule for this bridge to the ComputerCraft configuration of the worlds and servers on this machine, or of those in the folders given. Shows each change first and makes a backup.',
    flags: {
      remove: { description: "Take those rules away again." },
      yes: { description: "Do not ask." },
      address: {
        value: "host[:port]",
        description: "Where computers reach the bridge, if it runs on another machine.",
      },
    },
  },
  doctor: {
    description:
      "Looks for what keeps a bridge, a client and a computer apart: ports, addresses, firewall, tokens, links, worlds that do not allow it, the clock. Says what to do.",
    flags: {},
  },
  "minecraft-agent": {
    takes: "[folder]",
    description:
      "Links the unmodified Minecraft server in a folder to a bridge, by RCON and its log. Runs beside the server, and takes the flags of the program of that name: `ccbridge minecraft-agent --help`.",
    flags: {},
  },
} as const satisfies Record<string, Subcommand>;

export type SubcommandName = keyof typeof table;

/** What the program does beside serving. The same words serve the command line and --help. */
export const subcommands: Readonly<Record<SubcommandName, Subcommand>> = table;

export function isSubcommand(name: string): name is SubcommandName {
  return Object.hasOwn(subcommands, name);
}
