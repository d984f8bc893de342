import { describe, expect, it } from "vitest";
import { annotationsOf, tools } from "../../src/index.js";
import { rowsOf } from "../format/set-apart/rows.js";
import { alertsOf, changesOf, hello, historyOf, play } from "../format/set-apart/scene.js";
import { hostFolders, servers } from "../granted.js";
import { call, createRegistry } from "../harness.js";

/** What tools ask of a provider without changing anything there. */
const looks =
  /^(about-computer|ping|redstone|turtle-status|read-\w+|list-\w+|search-\w+|find_\w+|get_\w+)$/;

const namesOf = (isMeant: (hints: ReturnType<typeof annotationsOf>) => boolean) =>
  tools.filter((tool) => isMeant(annotationsOf(tool))).map(({ name }) => name);

describe("the hints of a tool", () => {
  it.each(namesOf(({ readOnlyHint }) => readOnlyHint))(
    "that only looks hold: %s sends nothing that acts",
    async (name) => {
      for (const { scene: more, args, before = [] } of rowsOf(name)) {
        const registry = createRegistry();
        const scene = { hello, answers: {}, ...more };
        const { asked } = play(registry, scene);
        const context = {
          ...{ hostFolders, servers, history: historyOf(scene), alerts: alertsOf(scene) },
          changes: changesOf(scene, registry),
        };
        for (const [earlier, given] of before) await call(registry, earlier, given, context);
        asked.clear();
        const jobId = registry.jobs.list().at(-1)?.id ?? "none";
        await call(registry, name, "jobId" in args ? { ...args, jobId } : args, context);
        expect([...asked].filter((method) => !looks.test(method))).toEqual([]);
      }
    },
  );

  it("say of few tools that they change something and destroy nothing", () => {
    const isGentle = ({ readOnlyHint, destructiveHint }: ReturnType<typeof annotationsOf>) =>
      !readOnlyHint && !destructiveHint;
    expect(namesOf(isGentle).sort()).toEqual([
      ...["create-alert", "permissions", "send_message", "set-label", "set-position"],
      ...["wait-for-event", "watch-events"],
    ]);
  });
});
