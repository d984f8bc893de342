import {
  CommandPatterns,
  DEFAULT_SERVER_NAME,
  EXAMPLE_TOKEN,
  eventTypes,
  MAX_COMMAND_LENGTH,
  suggestedPatterns,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { messageOf } from "../errors.js";
import { parseChatPattern } from "../log/facts.js";
import { logLevels } from "../logging.js";

const port = z.number().int().min(1).max(65_535);

const url = z
  .string()
  .refine((text) => URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol), {
    message: "must be a ws:// or wss:// address",
  });

const patterns = z.array(z.string()).superRefine((list, context) => {
  for (const pattern of list) {
    try {
      new CommandPatterns([pattern]);
    } catch (error) {
      context.addIssue({ code: "custom", message: messageOf(error) });
    }
  }
});

const chatPattern = z.string().superRefine((pattern, context) => {
  try {
    parseChatPattern(pattern);
  } catch (error) {
    context.addIssue({ code: "custom", message: messageOf(error) });
  }
});

const names = <T extends string>(known: readonly T[]) =>
  z.array(z.enum(known as [T, ...T[]])).default([...known]);

/** minecraft-mcp-bridge.toml. Unknown keys are ignored: a mod may read the same file. */
export const ConfigSchema = z.object({
  bridge: z
    .object({
      url: url.default("ws://localhost:3001/minecraft"),
      auth_token: z.string().default(""),
      /** 0: forever. */
      reconnect_attempts: z.number().int().min(0).default(0),
      reconnect_delay: z.number().int().min(100).max(3_600_000).default(1_000),
    })
    .prefault({}),
  events: z
    .object({
      enabled: names(eventTypes),
      queue_size: z.number().int().min(1).max(1_000_000).default(10_000),
    })
    .prefault({}),
  commands: z
    .object({ allowed_patterns: patterns.default([...suggestedPatterns]), tools: names(toolNames) })
    .prefault({}),
  security: z
    .object({
      require_auth: z.boolean().default(true),
      max_command_length: z.number().int().min(1).default(MAX_COMMAND_LENGTH),
    })
    .prefault({}),
  logging: z
    .object({
      level: z
        .string()
        .transform((level) => level.toUpperCase())
        .pipe(z.enum(logLevels))
        .default("INFO"),
    })
    .prefault({}),
  server: z
    .object({
      name: z
        .string()
        .regex(/^[\w.-]{1,32}$/, "must be 1 to 32 letters, digits, dots and hyphens")
        .default(DEFAULT_SERVER_NAME),
      log: z.string().min(1).optional(),
      chat_pattern: chatPattern.optional(),
      game_host: z.string().min(1).optional(),
      game_port: port.optional(),
      rcon_host: z.string().min(1).optional(),
      rcon_port: port.optional(),
      rcon_password: z.string().min(1).optional(),
      management_url: url.optional(),
      management_secret: z.string().min(1).optional(),
    })
    .prefault({}),
});

export type Config = z.infer<typeof ConfigSchema>;

export function problemsOf({ bridge, security }: Config): string[] {
  const problems: string[] = [];
  if (bridge.auth_token === EXAMPLE_TOKEN) {
    problems.push(
      `bridge.auth_token is "${EXAMPLE_TOKEN}", which everybody knows. Use one of the bridge's tokens.`,
    );
  } else if (security.require_auth && bridge.auth_token === "") {
    problems.push(
      "bridge.auth_token is missing. Set it in minecraft-mcp-bridge.toml or in AUTH_TOKEN, to one of the bridge's tokens.",
    );
  }
  return problems;
}
