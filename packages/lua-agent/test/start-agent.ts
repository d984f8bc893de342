import {
  allowAll,
  type Computer,
  createWorld,
  type PlacedComputerOptions,
  type World,
  type WorldOptions,
} from "@ccbridge/cc-host";
import { programText } from "@ccbridge/lua-agent";
import { type Greeting, type Link, ScriptedBridge } from "./scripted-bridge.js";

export interface StartOptions {
  /** Where the program links to; a scripted bridge is started when this is left out. */
  url?: string;
  greeting?: Greeting;
  /** Arguments after the URL. */
  args?: string;
  computer?: PlacedComputerOptions;
  world?: WorldOptions;
  /** What the player types, instead of the program and the URL. */
  command?: (url: string) => string;
}

/** A computer that runs the bundled program, typed in at its prompt. */
export interface RunningAgent extends AsyncDisposable {
  world: World;
  computer: Computer;
  bridge: ScriptedBridge;
  /** The nth link that the computer made, from 1. */
  link(number?: number): Promise<Link>;
  /** Waits for text on the screen. */
  shows(text: string | RegExp): Promise<void>;
  /** Waits until the prompt is the last thing on the screen. */
  prompt(): Promise<void>;
}

/** Boots a computer with the program on its disk and starts it. */
export async function startAgent(options: StartOptions = {}): Promise<RunningAgent> {
  const bridge = new ScriptedBridge();
  if (options.greeting) bridge.greeting = options.greeting;
  await bridge.listen();
  const world = await createWorld({ httpRules: allowAll, ...options.world });
  const computer = world.computer({
    id: 12,
    label: "base-turtle",
    ...options.computer,
    files: { "/mcp-computer.lua": programText, ...options.computer?.files },
  });
  computer.turnOn();
  await prompt(computer);
  const url = options.url ?? bridge.url;
  computer.type(options.command?.(url) ?? `mcp-computer ${url} ${options.args ?? ""}\n`);
  return {
    world,
    computer,
    bridge,
    link: (number = 1) => bridge.link(number),
    shows: (text) => shows(computer, text),
    prompt: () => prompt(computer),
    async [Symbol.asyncDispose]() {
      world.close();
      await bridge.close();
    },
  };
}

/** The screen as one text, with the line breaks of the terminal taken out. */
export function screenText(computer: Computer): string {
  return computer.screen.text().replace(/\s+/g, " ");
}

/** Waits for text on a computer's screen, wherever its lines break. */
export function shows(computer: Computer, text: string | RegExp): Promise<void> {
  return computer.until(() => {
    const screen = screenText(computer);
    return typeof text === "string" ? screen.includes(text) : text.test(screen);
  });
}

/** Waits until the prompt is the last thing on a computer's screen. */
export function prompt(computer: Computer): Promise<void> {
  return computer.until(() => /(^|\n)[\w/]*>\s*$/.test(computer.screen.text()));
}
