import { useEffect } from "preact/hooks";
import { waitingCount } from "./waiting.js";

/** Names what is shown in the browser's tab, where a person also sees that questions wait. */
export function useTitle(shown: string): void {
  const { value: count } = waitingCount;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ccbridge` : `${shown} · ccbridge`;
  }, [shown, count]);
}
