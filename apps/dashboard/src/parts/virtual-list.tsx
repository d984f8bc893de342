import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  rowHeight: number;
  keyOf(item: T): string;
  row(item: T): ComponentChild;
  onSeen?(items: readonly T[]): void;
}

/** Extra rows above and below, so that fast scrolling shows no gap. */
const MARGIN = 3;

/** Renders only visible rows and recycles them. Arrow keys, Home and End move through the whole list. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, items, rowHeight, keyOf, row, onSeen } = props;
  const box = useRef<HTMLDivElement>(null);
  const sight = useSignal({ top: 0, height: 600 });
  const wanted = useRef<number | undefined>(undefined);
  const focused = useRef<string | undefined>(undefined);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const measure = () => {
      sight.value = { top: current.scrollTop, height: current.clientHeight };
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(current);
    current.addEventListener("scroll", measure, { passive: true });
    return () => sizes.disconnect();
  }, []);
  const { top, height } = sight.value;
  const rows = Math.ceil(height / rowHeight) + 1 + 2 * MARGIN;
  const last = Math.min(items.length, Math.max(0, Math.floor(top / rowHeight) - MARGIN) + rows);
  const first = Math.max(0, last - rows);
  const seen = items.slice(first, last);
  const seenKeys = seen.map(keyOf).join("\n");
  useEffect(() => onSeen?.(seen), [seenKeys]);
  const linkAt = (index: number) =>
    box.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`) ?? undefined;
  useLayoutEffect(() => {
    const link = wanted.current === undefined ? undefined : linkAt(wanted.current);
    if (link !== undefined) {
      wanted.current = undefined;
      return link.focus({ preventScroll: true });
    }
    // The focused row may show another item now: move focus with the item.
    const holder = document.activeElement?.closest<HTMLElement>("[data-index]");
    if (!holder || !box.current?.contains(holder)) return;
    const held = items[Number(holder.dataset.index)];
    if (held !== undefined && keyOf(held) === focused.current) return;
    const at = seen.findIndex((item) => keyOf(item) === focused.current);
    const now = at < 0 ? undefined : linkAt(first + at);
    if (now !== undefined) now.focus({ preventScroll: true });
    else (document.activeElement as HTMLElement).blur();
  });
  const note = (event: FocusEvent) => {
    const holder = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    const item = items[Number(holder?.dataset.index)];
    focused.current = item === undefined ? undefined : keyOf(item);
  };
  const move = (event: KeyboardEvent) => {
    const { current } = box;
    const item = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    if (current === null || item === null) return;
    const from = Number(item.dataset.index);
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const target = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(items.length - 1, target));
    wanted.current = to;
    const at = to * rowHeight;
    if (at < current.scrollTop) current.scrollTop = at;
    if (at + rowHeight > current.scrollTop + current.clientHeight) {
      current.scrollTop = at + rowHeight - current.clientHeight;
    }
    sight.value = { top: current.scrollTop, height: current.clientHeight };
  };
  return (
    <div class="virtual" ref={box}>
      <ul
        class="virtual-rows"
        aria-label={label}
        style={{ height: `${items.length * rowHeight}px` }}
        onKeyDown={move}
        onFocusIn={note}
      >
        {seen.map((item, offset) => {
          const index = first + offset;
          return (
            <li
              // Stable keys, so that rows are recycled.
              key={index % rows}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              data-index={index}
              class="virtual-row"
              style={{ height: `${rowHeight}px`, top: `${index * rowHeight}px` }}
            >
              {row(item)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
