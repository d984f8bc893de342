import type { JobRecord, JobStore } from "@ccbridge/registry";
import type { Row } from "./engine.js";
import type { StoreAccess } from "./store.js";

/** Jobs in the store. Their long parts are apart, so that equal ones are stored once. */
export function storedJobs(access: StoreAccess): JobStore {
  return {
    async load(endedAfter) {
      const rows = (await access.read<Row[]>("unfinishedJobs", endedAfter)) ?? [];
      return rows.flatMap((row) => toRecord(row) ?? []);
    },
    save(record) {
      const { provider, response, output, params, ...data } = record;
      const { id, client, createdAt, endedAt, summary, note } = record;
      access.introduce(provider);
      const kept = keptParams(params, access);
      return access.addUrgent({
        table: "jobs",
        ...{ id, key: provider.key, client: client ?? null },
        ...{ created: createdAt, ended: endedAt ?? null },
        data: JSON.stringify({ ...data, ...access.clean({ summary, note }) }),
        payload: JSON.stringify({ ...access.clean({ response, output }), params: kept }),
      });
    },
    async get(id) {
      const row = await access.read<Row | undefined>("job", id);
      return row === undefined ? undefined : toRecord(row);
    },
  };
}

/** Code with a secret in it is not stored, and without the secret it would be other code: then it is not run later. */
function keptParams(params: unknown, { clean }: StoreAccess): unknown {
  return params === undefined || clean(params) === params ? params : undefined;
}

function toRecord({ provider, data, payload }: Row): JobRecord | undefined {
  const known = JSON.parse(String(provider));
  if (known === null) return undefined;
  return { ...JSON.parse(String(data)), ...JSON.parse(String(payload)), provider: known };
}
