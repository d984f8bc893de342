import type { ActionResult } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act } from "../wire/connection.js";

const REFRESH_MS = 5_000;

export function PeripheralsTab({ id }: { id: string }) {
  const attached = useSignal<ActionResult<"peripherals"> | undefined>(undefined);
  const stores = useSignal<ActionResult<"inventories"> | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    const refresh = async () => {
      try {
        attached.value = await act("peripherals", { key: id });
        const isStore = attached.value.peripherals.some(({ types }) => types.includes("inventory"));
        if (isStore && !isOver) stores.value = await act("inventories", { key: id });
        problem.value = undefined;
      } catch (error) {
        problem.value = (error as Error).message;
      }
      if (!isOver) timer = setTimeout(refresh, REFRESH_MS);
    };
    let timer = setTimeout(refresh, 0);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [id]);
  if (problem.value !== undefined) return <p class="problem">{problem.value}</p>;
  if (attached.value === undefined) return <p class="muted">Looking …</p>;
  const { peripherals } = attached.value;
  if (peripherals.length === 0) return <p class="muted">Nothing is attached.</p>;
  const inventoryOf = (name: string) =>
    stores.value?.inventories.find((inventory) => inventory.name === name);
  return (
    <ul class="cards">
      {peripherals.map(({ name, types, methods, via }) => (
        <li key={name} class="card">
          <h2>{name}</h2>
          <p class="small muted">
            {types.join(", ")}
            {via !== undefined && ` · through the modem at ${via}`}
          </p>
          <Slots inventory={inventoryOf(name)} />
          <details class="small">
            <summary>{methods.length} methods</summary>
            <code>{methods.join(" ")}</code>
          </details>
        </li>
      ))}
    </ul>
  );
}

function Slots({
  inventory,
}: {
  inventory: ActionResult<"inventories">["inventories"][number] | undefined;
}) {
  if (inventory === undefined) return null;
  if (inventory.error !== undefined) return <p class="problem small">{inventory.error}</p>;
  const totals = new Map<string, number>();
  for (const { name, count } of inventory.slots) {
    totals.set(name, (totals.get(name) ?? 0) + count);
  }
  const sorted = [...totals].sort(([, a], [, b]) => b - a);
  return (
    <>
      <p class="small">
        {inventory.slots.length} of {inventory.size ?? "?"} slots used
      </p>
      <ul class="items">
        {sorted.map(([item, count]) => (
          <li key={item}>
            <span>{itemName(item)}</span> <b>{count.toLocaleString()}</b>
          </li>
        ))}
      </ul>
    </>
  );
}

export function itemName(name: string): string {
  return name.replace(/^minecraft:/, "").replaceAll("_", " ");
}
