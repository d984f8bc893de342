import { effect, signal } from "@preact/signals";
import { onFired } from "./alerts.js";
import { said } from "./said.js";
import { waiting, waitingCount } from "./waiting.js";

const WANTED = "ccbridge-notify";

function stored(): boolean {
  try {
    return localStorage.getItem(WANTED) === "on";
  } catch {
    return false;
  }
}

export const isSupported = typeof Notification !== "undefined";

/** Whether this browser shows a notification when something waits for a person. */
export const notifies = signal(isSupported && stored() && Notification.permission === "granted");

export async function setNotifies(on: boolean): Promise<void> {
  const isAllowed = on && (await Notification.requestPermission()) === "granted";
  notifies.value = isAllowed;
  try {
    localStorage.setItem(WANTED, isAllowed ? "on" : "off");
  } catch {
    // It lasts until the page is closed.
  }
}

/** Notifies while the page is not seen: who looks at it sees what waits. */
export function followNotifications(): void {
  onFired(({ id, text }) => {
    if (mayNotify()) notify("ccbridge alert", said(text).slice(0, 200), `ccbridge ${id}`);
  });
  let before = 0;
  effect(() => {
    const count = waitingCount.value;
    const isMore = count > before;
    before = count;
    if (isMore && mayNotify()) notify("ccbridge needs you", newest(), "ccbridge");
  });
}

function mayNotify(): boolean {
  return notifies.peek() && document.visibilityState !== "visible";
}

function notify(title: string, body: string, tag: string): void {
  const shown = new Notification(title, { body, tag });
  shown.onclick = () => {
    window.focus();
    location.hash = "#/home";
    shown.close();
  };
}

function newest(): string {
  const { approvals = [], pairings = [], capabilities = [] } = waiting.peek() ?? {};
  const approval = approvals.at(-1);
  if (approval !== undefined) return said(approval.question).slice(0, 200);
  const pairing = pairings.at(-1);
  if (pairing !== undefined) {
    return `${pairing.label ?? `Computer ${pairing.computerId}`} wants to link`;
  }
  const [client = "An AI client"] = capabilities.at(-1)?.clients ?? [];
  return `${client} wants to use abilities of a web page`;
}
