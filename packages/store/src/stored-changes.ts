import { deflateSync, inflateSync } from "node:zlib";
import type { ChangeStore, KeptChangePage } from "@ccbridge/registry";
import type { StoreAccess } from "./store.js";

/** Changes in the store. Their contents are apart, so that equal ones are stored once. */
export function storedChanges(access: StoreAccess): ChangeStore {
  return {
    save(change, content) {
      const { id, content: hash } = change;
      if (content !== undefined && hash !== null) {
        const data = deflateSync(content).toString("base64");
        access.add({ table: "contents", hash, size: content.length, data });
      }
      return access.addUrgent({ table: "changes", id, change });
    },
    drop: (id) => access.addUrgent({ table: "changes", id, change: undefined }),
    async find(filter) {
      const page = await access.read<KeptChangePage>("changes", filter);
      return page ?? { changes: [], next: undefined };
    },
    async content(hash) {
      const data = await access.read<string | undefined>("content", hash);
      return data === undefined ? undefined : inflateSync(Buffer.from(data, "base64"));
    },
  };
}
