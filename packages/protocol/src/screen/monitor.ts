const PREFIX = "monitor:";

/** What `job` of a screen is for a monitor: programs and monitors are read and watched the same way. */
export function monitorScreen(monitor: string): string {
  return `${PREFIX}${monitor}`;
}

export function monitorOf(job: string): string | undefined {
  return job.startsWith(PREFIX) ? job.slice(PREFIX.length) : undefined;
}
