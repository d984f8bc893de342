import { useEffect } from "preact/hooks";
import { waitingCount } from "./waiting.js";

export function useTitle(shown: string): void {
  const { value: count } = waitingCount;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ccbridge` : `${shown} · ccbridge`;
  }, [shown, count]);
}
