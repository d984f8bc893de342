import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  rowHeight: number;
  keyOf(item: T): string;
  row(item: T): ComponentChild;
  /** Told which items are in sight. */
  onSeen?(items: readonly T[]): void;
}

/** Rows above and below the sight that are drawn too, so that a quick scroll shows no gap. */
const MARGIN = 6;

/** A list that draws only what is in sight. The arrow keys, Home and End go through all of it. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, items, rowHeight, keyOf, row, onSeen } = props;
  const box = useRef<HTMLDivElement>(null);
  const sight = useSignal({ top: 0, height: 600 });
  const wanted = useRef<number | undefined>(undefined);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const look = () => {
      sight.value = { top: current.scrollTop, height: current.clientHeight };
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    return () => sizes.disconnect();
  }, []);
  const { top, height } = sight.value;
  const first = Math.max(0, Math.min(items.length, Math.floor(top / rowHeight)) - MARGIN);
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + MARGIN);
  const seen = items.slice(first, last);
  const seenKeys = seen.map(keyOf).join("\n");
  useEffect(() => onSeen?.(seen), [seenKeys]);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const link = box.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] a`);
    if (link === null || link === undefined) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });
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
      >
        {seen.map((item, index) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            data-index={first + index}
            class="virtual-row"
            style={{
              height: `${rowHeight}px`,
              transform: `translateY(${(first + index) * rowHeight}px)`,
            }}
          >
            {row(item)}
          </li>
        ))}
      </ul>
    </div>
  );
}
