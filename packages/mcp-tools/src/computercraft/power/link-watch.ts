import { isComputer, type PortChange, type ProviderPort } from "@ccbridge/registry";

/** What has happened to a computer's link since the watch began. */
export interface LinkWatch {
  /** Whether the link that was there is gone. */
  readonly isGone: boolean;
  /** Whether the computer linked again after that. */
  readonly isBack: boolean;
  /** Its most recent label; undefined until it says hello again. */
  readonly label: string | null | undefined;
  /** Waits until a condition holds, the time is up, or the caller gives up. Never rejects. */
  until(
    isReached: () => boolean,
    patience: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void>;
  end(): void;
}

/** Watches a computer's link. Start before asking it to do something, so that nothing is missed. */
export function watchLink({ changes }: ProviderPort, key: string): LinkWatch {
  let [isGone, isBack] = [false, false];
  let label: string | null | undefined;
  let wake = () => {};
  const onChange = ({ topic, identity }: PortChange) => {
    if (topic === "unlinked") [isGone, isBack] = [true, false];
    if (topic === "linked") {
      label = isComputer(identity) ? identity.label : null;
      isBack = isGone;
    }
    wake();
  };
  const end = changes.subscribe(onChange, { topics: ["linked", "unlinked"], key });
  return {
    get isGone() {
      return isGone;
    },
    get isBack() {
      return isBack;
    },
    get label() {
      return label;
    },
    until: (isReached, { timeoutMs, signal }) =>
      new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          wake = () => {};
          resolve();
        };
        const timer = setTimeout(finish, timeoutMs);
        signal.addEventListener("abort", finish);
        wake = () => {
          if (isReached() || signal.aborted) finish();
        };
        wake();
      }),
    end,
  };
}
