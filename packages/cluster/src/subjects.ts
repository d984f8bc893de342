// All subjects are under one prefix, so that an account can allow just `<prefix>.>` beside JetStream.

/** Where one bridge takes calls; it is the only subscriber. */
export function bridgeSubject(prefix: string, bridge: string): string {
  return `${prefix}.bridge.${bridge}`;
}

export function replySubject(prefix: string, bridge: string, call: string): string {
  return `${prefix}.reply.${bridge}.${call}`;
}

/** What all bridges hear, by topic. */
export function sharedSubject(prefix: string, topic: string): string {
  return `${prefix}.all.${topic}`;
}

/** Where one bridge publishes what happened on it. */
export function historySubject(prefix: string, bridge: string): string {
  return `${prefix}.history.${bridge}`;
}

export function inboxPrefix(prefix: string, bridge: string): string {
  return `${prefix}.inbox.${bridge}`;
}
