import { Feature, type MethodName, type MethodParams, type MethodResult } from "@ccbridge/protocol";
import type { ChangeLog } from "@ccbridge/registry";
import type { Computer } from "../computer.js";
import { type AskContext, request, requireMethod } from "../request.js";
import { keepCopy, keepDelete, keepEdit, keepMove, keepWrite } from "./keep-files.js";
import { keepLabel, keepRedstone, keepSettings } from "./settings.js";

export interface KeepingContext extends AskContext {
  readonly changes: ChangeLog;
}

type Keep<M extends MethodName> = (
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<M>,
) => Promise<MethodResult<M>>;

/** Methods that change what can be put back: they are sent by these, which keep what was before. */
const keepers: { readonly [M in MethodName]?: Keep<M> } = {
  "write-file": keepWrite,
  "edit-file": keepEdit,
  "delete-file": keepDelete,
  "move-file": keepMove,
  "copy-file": keepCopy,
  redstone: keepRedstone,
  "set-label": keepLabel,
  "call-peripheral": keepSettings,
};

/** Agents before the feature `keys` cannot say of a missing file that it is missing. */
function canKeep(method: MethodName, { provider }: Computer): boolean {
  return !method.endsWith("-file") || provider.features.includes(Feature.keys);
}

/** Undefined for a method that changes nothing, or nothing that can be put back. */
export function keeperOf<M extends MethodName>(method: M) {
  const keep = keepers[method] as Keep<M> | undefined;
  if (keep === undefined) return undefined;
  return async (context: AskContext, computer: Computer, params: MethodParams<M>) => {
    // What it may not do at all must fail with that reason.
    requireMethod(context, computer, method);
    if (!canKeep(method, computer)) return request(context, computer, method, params);
    return keep(context as KeepingContext, computer, params);
  };
}
