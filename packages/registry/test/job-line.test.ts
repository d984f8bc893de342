import fc from "fast-check";
import { expect, it } from "vitest";
import { Job } from "../src/jobs/job.js";
import { JobLine } from "../src/jobs/job-line.js";

const owner = { key: "k", provider: { kind: "k", key: "k", name: "k", features: [], methods: [] } };
const newJob = (id: number) =>
  new Job({ id: String(id), owner, method: "m", summary: null, maxOutputLength: 10 });

it("has its jobs in their order, whoever leaves and comes back", () => {
  const step = fc.record({ job: fc.nat(7), does: fc.constantFrom("add", "delete", "oldest") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const jobs = Array.from({ length: 8 }, (_, id) => newJob(id));
      const line = new JobLine();
      const model = new Set<Job>();
      for (const { job: number, does } of steps) {
        const job = jobs[number] as Job;
        const leaves = does === "oldest" ? line.oldest : job;
        if (does === "add" && !model.has(job)) {
          line.add(job);
          model.add(job);
        } else if (does !== "add" && leaves !== undefined) {
          line.delete(leaves);
          model.delete(leaves);
        }
        expect(line.oldest).toBe([...model][0]);
      }
      const left: Job[] = [];
      for (let job = line.oldest; job !== undefined; job = line.oldest) {
        left.push(job);
        line.delete(job);
      }
      expect(left).toEqual([...model]);
      for (const { older, newer } of jobs) expect([older, newer]).toEqual([undefined, undefined]);
    }),
  );
});
