import type { ProviderPort } from "@ccbridge/registry";
import type { ToolContext } from "./define.js";

/** What belongs to one call. */
export type CallFacts = Pick<
  ToolContext,
  "signal" | "client" | "gone" | "progress" | "line" | "afterwards"
>;

/** What all calls of one client have in common. */
export type SessionContext = Omit<ToolContext, keyof CallFacts>;

/** A context that names every member, so that none is forgotten below. */
type WholeContext = { [Name in keyof Required<ToolContext>]: ToolContext[Name] };

/** Written out, since every call makes one or two: a literal is many times quicker than spreads. */
export function contextOf(
  session: SessionContext,
  call: CallFacts,
  providers: ProviderPort = session.providers,
): WholeContext {
  return {
    providers,
    settings: session.settings,
    servers: session.servers,
    offered: session.offered,
    capabilities: session.capabilities,
    pairing: session.pairing,
    hostFolders: session.hostFolders,
    allows: session.allows,
    client: call.client,
    signal: call.signal,
    gone: call.gone,
    line: call.line,
    progress: call.progress,
    afterwards: call.afterwards,
  };
}

/** The same context, which reaches the game through another port. */
export function throughPort(context: ToolContext, providers: ProviderPort): ToolContext {
  return contextOf(context, context, providers);
}
