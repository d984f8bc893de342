import { LinkErrorCode, type Registry, type RegistryChange } from "@ccbridge/registry";
import type { Audit } from "./audit.js";

export function auditChanges({ changes }: Registry, audit: Audit): void {
  changes.subscribe(
    (change) => {
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
    },
    { topics: ["linked", "unlinked", "refused"] },
  );
}

function about({ provider, origin }: Extract<RegistryChange, { topic: "linked" | "unlinked" }>) {
  return { provider: provider.name, key: provider.key, address: origin.address };
}
