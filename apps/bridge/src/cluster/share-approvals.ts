import type { Cluster, Operations } from "@ccbridge/cluster";
import type { Pairing, PendingPairing } from "../auth/pairing/pairing.js";
import type { Approvals, Decision, PendingApproval } from "../calls/approvals.js";
import { SharedList } from "./shared-lists.js";

interface Questions {
  readonly isOpen: boolean;
  readonly approvals: readonly PendingApproval[];
}

const quick = { timeoutMs: 5_000 };

export function approvalOperations(approvals: Approvals): Operations {
  return {
    "approvals.answer": ({ id, decision, by }: { id: string; decision: Decision; by: string }) =>
      approvals.answer(id, decision, by),
  };
}

/** Questions are answered at the dashboard of any bridge. The bridge that asked decides, so each is answered once. */
export function shareApprovals(cluster: Cluster, approvals: Approvals): () => void {
  const list = new SharedList<Questions>(
    cluster,
    "approvals",
    () => ({ isOpen: approvals.isWatched, approvals: approvals.own() }),
    () => approvals.changedElsewhere(),
  );
  approvals.elsewhere = {
    isOpen: () => [...list.others().values()].some(({ isOpen }) => isOpen),
    list: () => [...list.others().values()].flatMap((each) => each.approvals),
    answer(id, decision, by) {
      for (const [bridge, { approvals: asked }] of list.others()) {
        if (!asked.some((each) => each.id === id)) continue;
        cluster.call(bridge, "approvals.answer", { id, decision, by }, quick).catch(() => {});
        return true;
      }
      return false;
    },
    changed: () => list.changed(),
  };
  return () => list.close();
}

export function pairingOperations(pairing: Pairing | undefined): Operations {
  return {
    "pairing.confirm": ({ code, by }: { code: string; by: string }) =>
      pairing?.confirm(code, by) !== undefined,
    "pairing.decline": ({ code, by }: { code: string; by: string }) => pairing?.decline(code, by),
  };
}

/** Computers that wait at one bridge are shown and approved at all. */
export function shareWaiting(cluster: Cluster, pairing: Pairing): () => void {
  const list = new SharedList<readonly PendingPairing[]>(
    cluster,
    "pairing",
    () => pairing.own(),
    () => pairing.changedElsewhere(),
  );
  const act = (op: string, code: string, by: string) => {
    for (const [bridge, waiting] of list.others()) {
      const pending = waiting.find((each) => each.code === code);
      if (pending === undefined) continue;
      cluster.call(bridge, op, { code, by }, quick).catch(() => {});
      return pending;
    }
    return undefined;
  };
  pairing.elsewhere = {
    pending: () => [...list.others().values()].flat(),
    confirm: (code, by) => act("pairing.confirm", code, by),
    decline: (code, by) => act("pairing.decline", code, by),
    changed: () => list.changed(),
  };
  return () => list.close();
}
