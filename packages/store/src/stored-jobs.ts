import type { JobRecord, JobStore } from "@ccbridge/registry";
import type { Row } from "./engine.js";
import type { JobRow } from "./rows.js";
import type { StoreAccess } from "./store.js";

/** Jobs in the store. Their long parts are apart, so that equal ones are stored once. */
export function storedJobs(access: StoreAccess): JobStore {
  return {
    async load(endedAfter) {
      const rows = (await access.read<Row[]>("unfinishedJobs", endedAfter)) ?? [];
      return rows.flatMap((row) => toRecord(row) ?? []);
    },
    save(record) {
      access.introduce(record.provider);
      const isOver = record.endedAt !== undefined;
      return access.addUrgent(toRow(record, access), isOver ? ENDED_MS : undefined);
    },
    async get(id) {
      const row = await access.read<Row | undefined>("job", id);
      return row === undefined ? undefined : toRecord(row);
    },
  };
}

/** No caller waits for this, only the provider that keeps the answer until then. */
const ENDED_MS = 50;

function toRow(record: JobRecord, access: StoreAccess): JobRow {
  const { id, provider, client, createdAt, endedAt } = record;
  return {
    table: "jobs",
    id,
    key: provider.key,
    client: client ?? null,
    trace: record.trace ?? null,
    created: createdAt,
    ended: endedAt ?? null,
    data: dataOf(record, access),
    payload: payloadOf(record, access),
  };
}

/** What has no column, without what most jobs have in common. */
function dataOf(record: JobRecord, { clean }: StoreAccess) {
  return {
    method: record.method,
    summary: clean(record.summary),
    onFailure: record.response?.ok === true ? undefined : record.onFailure,
    isProgram: record.isProgram || undefined,
    adopted: record.adopted || undefined,
    atBoot: record.atBoot || undefined,
    run: record.run,
    status: record.status,
    startedAt: record.startedAt,
    stopAt: record.stopAt,
    note: clean(record.note),
    isGone: record.isGone || undefined,
    isPartial: record.isPartial || undefined,
  };
}

function payloadOf({ response, output, params }: JobRecord, { clean }: StoreAccess) {
  return {
    response: clean(response),
    output: output?.text === "" && output.start === 0 ? undefined : clean(output),
    // Code with a secret in it is not stored, and without the secret it would be other code: it is not run later.
    params: params === undefined || clean(params) === params ? params : undefined,
  };
}

function toRecord({
  id,
  client,
  created,
  ended,
  provider,
  data,
  payload,
}: Row): JobRecord | undefined {
  const known = JSON.parse(String(provider));
  if (known === null) return undefined;
  return {
    ...{ id: String(id), client: client ?? undefined, createdAt: Number(created) },
    endedAt: ended === null ? undefined : Number(ended),
    ...{ adopted: false, isGone: false, isPartial: false },
    output: ended === null ? undefined : { start: 0, text: "", nextSeq: 0 },
    ...JSON.parse(String(data)),
    ...JSON.parse(String(payload)),
    provider: known,
  };
}
