import type { Screen } from "@ccbridge/protocol";
import { CELL_HEIGHT, CELL_WIDTH } from "@ccbridge/protocol/screen";
import { useLayoutEffect, useRef } from "preact/hooks";
import { paint, textOf } from "./paint.js";

/** A screen to look at, as wide as its place. */
export function ScreenPicture({ screen, label }: { screen: Screen; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    canvas.current?.getContext("2d")?.putImageData(paint(screen, false), 0, 0);
  }, [screen]);
  return (
    <>
      <canvas
        ref={canvas}
        class="screen-picture"
        aria-label={label}
        width={screen.width * CELL_WIDTH}
        height={screen.height * CELL_HEIGHT}
      />
      <span class="visually-hidden">{textOf(screen)}</span>
    </>
  );
}
