import type { ProviderView } from "@ccbridge/registry";
import { z } from "zod";
import { computerFacts, computerShape } from "../computer.js";

/** What a computer takes with it when it goes down. */
export const LeavingSchema = {
  ...computerShape,
  lostJobs: z.int().describe("Jobs that ran on it and are lost."),
};

export function leaving(computer: ProviderView) {
  const { runningJobs: lostJobs } = computer;
  const lost =
    lostJobs === 0
      ? ""
      : ` ${lostJobs === 1 ? "1 job that ran on it is" : `${lostJobs} jobs that ran on it are`} lost.`;
  return { facts: { ...computerFacts(computer), lostJobs }, lost };
}
