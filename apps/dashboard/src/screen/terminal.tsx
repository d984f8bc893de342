import type { InputStep, Screen } from "@ccbridge/protocol";
import { CELL_HEIGHT, CELL_WIDTH } from "@ccbridge/protocol/screen";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { stepOf } from "./keys.js";
import { paint, textOf } from "./paint.js";

const BLINK_MS = 400;
const MAX_TIMES = 6;
const buttons = [1, 3, 2];
const WHEEL_PIXELS = 100;
const WHEEL_LINES = 3;
const MAX_WHEEL_STEPS = 5;

export interface TerminalProps {
  screen: Screen;
  label: string;
  onInput?: ((step: InputStep) => void) | undefined;
  /** Use the full width when whole pixels would nearly fill it too. */
  fills?: boolean;
}

export function Terminal({ screen, label, onInput, fills = false }: TerminalProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const room = useSignal(0);
  const isCursorOn = useSignal(true);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const sizes = new ResizeObserver(() => {
      room.value = current.clientWidth;
    });
    sizes.observe(current);
    const blink = setInterval(() => {
      isCursorOn.value = !isCursorOn.peek();
    }, BLINK_MS);
    return () => {
      sizes.disconnect();
      clearInterval(blink);
    };
  }, []);
  const isOn = isCursorOn.value || !screen.cursor.blink;
  const [width, height] = [screen.width * CELL_WIDTH, screen.height * CELL_HEIGHT];
  const times = fills ? timesToFill(width, room.value) : 1;
  // Before the browser paints: a canvas whose size changes is empty until it is drawn again.
  useLayoutEffect(() => {
    if (canvas.current !== null) draw(canvas.current, paint(screen, isOn), times);
  }, [screen, isOn, times]);
  const shown = shownSize(width, room.value);
  const pointer = usePointer(canvas, screen, onInput);
  const keys = onInput === undefined ? {} : keyHandlers(onInput);
  return (
    <div class="terminal" ref={box}>
      <div
        class="terminal-frame"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys for the game
        tabIndex={0}
        aria-label={
          onInput === undefined ? label : `${label}. Keys go to the game; Escape leaves it.`
        }
        {...keys}
      >
        <canvas
          ref={canvas}
          width={width * times}
          height={height * times}
          class={fills ? "fills" : ""}
          style={fills ? {} : { width: `${shown}px`, height: `${(shown / width) * height}px` }}
          {...pointer}
        />
        <pre class="visually-hidden" data-testid="screen-text">
          {textOf(screen)}
        </pre>
      </div>
    </div>
  );
}

function shownSize(width: number, room: number): number {
  if (room === 0) return width;
  const ratio = window.devicePixelRatio || 1;
  const times = Math.floor((room * ratio) / width);
  return times >= 1 ? (width * Math.min(times, 4 * ratio)) / ratio : room;
}

function timesToFill(width: number, room: number): number {
  const ratio = window.devicePixelRatio || 1;
  return Math.max(1, Math.min(MAX_TIMES, Math.ceil((room * ratio) / width)));
}

function draw(canvas: HTMLCanvasElement, image: ImageData, times: number): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.putImageData(image, 0, 0);
  if (times === 1) return;
  context.imageSmoothingEnabled = false;
  const { width, height } = image;
  context.drawImage(canvas, 0, 0, width, height, 0, 0, width * times, height * times);
}

function keyHandlers(onInput: (step: InputStep) => void) {
  return {
    onKeyDown(event: KeyboardEvent) {
      if (event.key === "Escape") return (event.currentTarget as HTMLElement).blur();
      const step = stepOf(event);
      if (step === undefined) return;
      event.preventDefault();
      onInput(step);
    },
    onPaste(event: ClipboardEvent) {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text === "") return;
      event.preventDefault();
      onInput(pasteStep(text));
    },
  };
}

function pasteStep(text: string): InputStep {
  const [line = ""] = text.split(/\r?\n/);
  return { type: "event", name: "paste", args: [line.slice(0, 512)], count: 1 };
}

function usePointer(
  canvas: { readonly current: HTMLCanvasElement | null },
  { width, height }: Screen,
  onInput: ((step: InputStep) => void) | undefined,
) {
  const scrolled = useRef(0);
  const held = useRef<{ button: number; x: number; y: number } | undefined>(undefined);
  if (onInput === undefined) return {};
  const cellOf = (event: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    const cell = (share: number, count: number) =>
      Math.max(1, Math.min(count, Math.floor(share * count) + 1));
    return {
      x: cell((event.clientX - box.left) / box.width, width),
      y: cell((event.clientY - box.top) / box.height, height),
    };
  };
  const send = (name: string, ...args: number[]) =>
    onInput({ type: "event", name, args, count: args.length });
  return {
    onPointerDown(event: PointerEvent) {
      const { x, y } = cellOf(event);
      const button = buttons[event.button] ?? 1;
      held.current = { button, x, y };
      canvas.current?.setPointerCapture(event.pointerId);
      send("mouse_click", button, x, y);
    },
    onPointerMove(event: PointerEvent) {
      if (held.current === undefined) return;
      const { x, y } = cellOf(event);
      if (x === held.current.x && y === held.current.y) return;
      held.current = { ...held.current, x, y };
      send("mouse_drag", held.current.button, x, y);
    },
    onPointerUp(event: PointerEvent) {
      if (held.current === undefined) return;
      const { x, y } = cellOf(event);
      send("mouse_up", held.current.button, x, y);
      held.current = undefined;
    },
    onWheel(event: WheelEvent) {
      // Until the screen is clicked, scrolling belongs to the page.
      if (!document.activeElement?.contains(canvas.current)) return;
      event.preventDefault();
      // Touch pads report small deltas: accumulate them.
      scrolled.current += event.deltaY / (event.deltaMode === 0 ? WHEEL_PIXELS : WHEEL_LINES);
      const steps = Math.trunc(scrolled.current);
      scrolled.current -= steps;
      const { x, y } = cellOf(event);
      for (let step = 0; step < Math.min(Math.abs(steps), MAX_WHEEL_STEPS); step++) {
        send("mouse_scroll", Math.sign(steps), x, y);
      }
    },
    onContextMenu: (event: Event) => event.preventDefault(),
  };
}
