type VersionParts = readonly [number, number, number];

function parseVersion(text: string): VersionParts {
  const match = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new Error(`not a CC:Tweaked version: ${text}`);
  return [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

function atLeast(version: VersionParts, minimum: string): boolean {
  const wanted = parseVersion(minimum);
  for (let index = 0; index < 3; index++) {
    const difference = (version[index] as number) - (wanted[index] as number);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

export interface Features {
  /** Lua 5.1 rules: `_VERSION`, and `coroutine.running` returns one value. */
  readonly lua51: boolean;
  /** Text frames and text-mode files carry raw bytes; before 1.109 they were transcoded. */
  readonly rawBytes: boolean;
  /** Error texts of 1.102.2 that 1.113.1 no longer has; when they changed is unknown. */
  readonly oldTexts: boolean;
  readonly consistentMounts: boolean;
  readonly updateModes: boolean;
  readonly websocketTable: boolean;
  readonly jsonOptions: boolean;
  readonly jsonRepetitions: boolean;
  readonly jsonParseEmptyArray: boolean;
  /** Cobalt up to 0.9.4 prints whole numbers in full, later ones with 14 digits. */
  readonly wholeNumbersInFull: boolean;
  readonly receiveCancelsTimer: boolean;
  /** More than 512 unsent messages make `send` throw. */
  readonly sendsInFlightLimit: boolean;
  readonly parallelExceptions: boolean;
  readonly carrierGradePrivate: boolean;
  readonly equippedQueries: boolean;
  /** 1.110.0 alone does not restart computers after a chunk unload. */
  readonly restartsAfterUnload: boolean;
}

export function featuresOf(version: string): Features {
  const parts = parseVersion(version);
  const since = (minimum: string) => atLeast(parts, minimum);
  return {
    lua51: !since("1.109.0"),
    rawBytes: since("1.109.0"),
    oldTexts: !since("1.103.0"),
    consistentMounts: since("1.108.4"),
    updateModes: since("1.109.0"),
    websocketTable: since("1.105.0"),
    jsonOptions: since("1.106.0"),
    jsonRepetitions: since("1.109.0"),
    jsonParseEmptyArray: since("1.100.6"),
    wholeNumbersInFull: !since("1.114.0"),
    receiveCancelsTimer: since("1.114.0"),
    sendsInFlightLimit: since("1.109.3"),
    parallelExceptions: since("1.115.0"),
    carrierGradePrivate: since("1.106.1"),
    equippedQueries: since("1.116.0"),
    restartsAfterUnload: !since("1.110.0") || since("1.110.1"),
  };
}
