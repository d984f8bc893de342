import type { ProviderPort, ProviderView } from "../../port.js";
import type { Stop } from "../../watchers.js";
import { COMPUTER, type ComputerProvider, isComputer } from "./provider.js";
import type { ComputerSelector } from "./selector.js";
import type { WatchedFile, WatchedScreen } from "./watches.js";

// The words of this dialect for those who look through a port.

export type ComputerView = ProviderView<ComputerProvider>;

export function computerRef(ref: ComputerSelector) {
  return { kind: COMPUTER, ref } as const;
}

export function findComputer(
  port: ProviderPort,
  selector: ComputerSelector,
): Promise<ComputerView> {
  // The dialect of computers finds nothing else. A check would be one more promise for every call.
  return port.find(computerRef(selector)) as Promise<ComputerView>;
}

export async function linkedComputers(port: ProviderPort): Promise<readonly ComputerView[]> {
  return (await port.list(COMPUTER)).filter(isComputerView);
}

export function watchScreen(
  port: ProviderPort,
  key: string,
  listener: (screen: WatchedScreen) => void,
): Promise<Stop> {
  return port.watch(key, { what: "screen" }, (state) => listener(state as WatchedScreen));
}

export function watchFile(
  port: ProviderPort,
  key: string,
  path: string,
  listener: (file: WatchedFile) => void,
): Promise<Stop> {
  return port.watch(key, { what: "file", path }, (state) => listener(state as WatchedFile));
}

function isComputerView(view: ProviderView): view is ComputerView {
  return isComputer(view.provider);
}
