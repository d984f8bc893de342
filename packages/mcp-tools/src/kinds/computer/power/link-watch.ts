import { isComputer, type PortChange, type ProviderPort } from "@ccbridge/registry";

export interface LinkWatch {
  readonly isGone: boolean;
  readonly isBack: boolean;
  readonly label: string | null | undefined;
  readonly version: string | undefined;
  /** Resolves when the condition holds, on timeout, or on abort. Never rejects. */
  until(
    isReached: () => boolean,
    patience: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void>;
  end(): void;
}

/** Start before sending the request, so that no change is missed. */
export async function watchLink({ changes }: ProviderPort, key: string): Promise<LinkWatch> {
  let [isGone, isBack] = [false, false];
  let label: string | null | undefined;
  let version: string | undefined;
  let wake = () => {};
  const onChange = ({ topic, provider }: PortChange) => {
    if (topic === "unlinked") [isGone, isBack] = [true, false];
    if (topic === "linked") {
      label = isComputer(provider) ? provider.label : null;
      version = isComputer(provider) ? provider.agent?.version : undefined;
      isBack = isGone;
    }
    wake();
  };
  const end = await changes.subscribe(onChange, { topics: ["linked", "unlinked"], key });
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
    get version() {
      return version;
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
