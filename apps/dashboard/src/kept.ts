const inMemory = new Map<string, string>();

/** Kept until the tab is closed. False when the browser's storage is full or blocked. */
export function keep(name: string, text: string): boolean {
  try {
    sessionStorage.setItem(name, text);
    inMemory.delete(name);
    return true;
  } catch {
    inMemory.set(name, text);
    return false;
  }
}

export function kept(name: string): string | undefined {
  return inMemory.get(name) ?? attempt(() => sessionStorage.getItem(name)) ?? undefined;
}

export function forget(name: string): void {
  inMemory.delete(name);
  attempt(() => sessionStorage.removeItem(name));
}

export function keptNames(): readonly string[] {
  return attempt(() => Object.keys(sessionStorage)) ?? [];
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
