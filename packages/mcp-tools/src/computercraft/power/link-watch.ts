import { isComputer, type PortChange, type ProviderPort } from "@ccbridge/registry";

/** What has become of the link of one computer since the watch began. */
export interface LinkWatch {
  /** Whether the link that was there is gone. */
  readonly isGone: boolean;
  /** Whether the computer linked again after that. */
  readonly isBack: boolean;
  /** Its label as it said it last; undefined before it said hello again. */
  readonly label: string | null | undefined;
  /** Waits until something has come about, for a time, or until the caller gives up. Never rejects. */
  until(
    isReached: () => boolean,
    patience: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void>;
  end(): void;
}

/** Watches the link of a computer. Begin before asking it to do something, so that nothing is missed. */
export function watchLink({ changes }: ProviderPort, key: string): LinkWatch {
  let [isGone, isBack] = [false, false];
  let label: string | null | undefined;
  let wake = () => {};
  const onChange = ({ topic, identity }: PortChange) => {
    if (identity.key !== key) return;
    if (topic === "unlinked") [isGone, isBack] = [true, false];
    if (topic === "linked") {
      label = isComputer(identity) ? identity.label : null;
      isBack = isGone;
    }
    wake();
  };
  const end = changes.subscribe(onChange);
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
