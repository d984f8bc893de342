import { methods as known } from "@ccbridge/protocol";
import type { ProviderPort } from "@ccbridge/registry";
import { expect, it } from "vitest";
import { callable, factsOf, type Tool, type ToolContext, tools } from "../../src/index.js";
import { rowsOf } from "../format/set-apart/rows.js";
import { changesOf, hello, play } from "../format/set-apart/scene.js";
import { hostFolders, servers } from "../granted.js";
import { call, createRegistry, lookAt } from "../harness.js";

// A person is asked about the targets that a call names before it runs, so it must name all that it reaches.

function noting(port: ProviderPort, reached: Set<string>): ProviderPort {
  return {
    ...port,
    request(key, ...rest) {
      reached.add(key);
      return port.request(key, ...rest);
    },
    requestAll(keys, ...rest) {
      for (const key of keys) reached.add(key);
      return port.requestAll(keys, ...rest);
    },
    jobs: {
      ...port.jobs,
      run(key, ...rest) {
        reached.add(key);
        return port.jobs.run(key, ...rest);
      },
      async stop(id) {
        const job = await port.jobs.get(id);
        if (job !== undefined) reached.add(job.key);
        return port.jobs.stop(id);
      },
    },
  };
}

async function namedBy(tool: Tool, args: object, context: ToolContext) {
  try {
    const read = await callable(tool).read(args, context);
    const targets = await read.findTargets(context.providers, context.changes);
    await read.run(context).catch(() => {});
    return targets.map(({ key }) => key);
  } catch {
    return undefined;
  }
}

const acting = tools.filter((tool) => factsOf(tool).annotations.destructiveHint);

it.each(acting.map((tool) => [tool.name, tool] as const))(
  "%s names all that it reaches",
  async (name, tool) => {
    let reaches = false;
    for (const { args, before = [], scene, twin, isAway } of rowsOf(name)) {
      if (twin !== undefined || isAway === true) continue;
      const registry = createRegistry();
      play(registry, { hello, answers: {}, ...scene });
      if ("toComputer" in args) {
        play(registry, { hello: { computerId: 2, methods: Object.keys(known) }, answers: {} });
      }
      const look = lookAt(registry);
      const changes = changesOf({ hello, answers: {}, ...scene }, registry);
      const more = { hostFolders, servers, changes };
      for (const [earlier, given] of before) await call(registry, earlier, given, more);
      const jobId = registry.jobs.list().at(-1)?.id ?? "none";
      const given = "jobId" in args ? { ...args, jobId } : args;
      const reached = new Set<string>();
      const context: ToolContext = {
        ...look,
        ...more,
        providers: noting(look.providers, reached),
        signal: new AbortController().signal,
      };
      const named = await namedBy(tool, given, context);
      registry.close();
      if (named === undefined) continue;
      expect(named).toEqual(expect.arrayContaining([...reached]));
      reaches ||= reached.size > 0;
    }
    expect(reaches).toBe(true);
  },
);
