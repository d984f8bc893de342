export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Looks at the game or at the bridge, and changes nothing. */
export const readOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Changes something that is easily changed back, such as a label; doing it twice is the same as once. */
export const changes: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const destructive: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

/** The same, where doing it twice is the same as once. */
export const destructiveOnce: ToolAnnotations = { ...destructive, idempotentHint: true };

/** May do anything in the world. A tool without annotations counts as this. */
export const acts: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** The same, where doing it twice is the same as once. */
export const actsOnce: ToolAnnotations = { ...acts, idempotentHint: true };

export function annotationsOf({ annotations }: { annotations?: ToolAnnotations }): ToolAnnotations {
  return annotations ?? acts;
}
