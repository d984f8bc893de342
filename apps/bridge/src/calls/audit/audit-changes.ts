import { LinkErrorCode, type RegistryChange } from "@ccbridge/registry";
import type { Audit } from "./audit.js";

export function auditChange(audit: Audit, change: RegistryChange): void {
  switch (change.topic) {
    case "linked":
      if (change.again) return;
      return audit.note("linked", about(change));
    case "unlinked":
      return audit.note(change.code === LinkErrorCode.replaced ? "takeover" : "unlinked", {
        ...about(change),
        reason: change.reason,
      });
    case "refused":
      return audit.note("link-refused", {
        address: change.origin.address,
        reason: change.reason,
      });
  }
}

function about({ provider, origin }: Extract<RegistryChange, { topic: "linked" | "unlinked" }>) {
  return { provider: provider.name, key: provider.key, address: origin.address };
}
