import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../../vitest.texts.js";
import { tools } from "../../../src/index.js";
import { prompts } from "../../../src/kinds/computer/prompts.js";
import { createRegistry, link, lookAt } from "../../harness.js";

function textOf(name: string, args: Record<string, string>, names: string[]) {
  const registry = createRegistry();
  link(registry, { computerId: 12, label: "base" });
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (prompt === undefined) throw new Error(`no prompt ${name}`);
  return prompt.content(args, { ...lookAt(registry), hasTool: (tool) => names.includes(tool) });
}

describe("prompts", () => {
  it.each(prompts.map(({ name }) => name))("%s names only tools that there are", async (name) => {
    const all = [
      ...tools.map((tool) => tool.name),
      ...["list-files", "read-file", "edit-file", "list-peripherals", "list-inventory"],
      ...["turtle-status", "run-program", "read-screen"],
    ];
    const core = ["list-computers", "exec-lua", "get-job"];
    const text = await textOf(name, { computer: "base", program: "startup.lua" }, core);
    for (const tool of all) {
      if (!core.includes(tool)) expect(text).not.toContain(tool);
    }
    expect(text).toContain("exec-lua");
    expect(await textOf(name, { computer: "base", program: "startup.lua" }, all)).toContain(
      "read-file",
    );
  });

  it.each(prompts.map(({ name }) => name))(
    "%s takes the computer as it is written: a client may fill it in later",
    async (name) => {
      for (const computer of ["12", "base", "nowhere", "$1"]) {
        const text = await textOf(name, { computer, program: "x", task: "y" }, []);
        expect(text).toContain(fill(texts.theComputerItsId, computer));
        expect(text).not.toContain("No linked computer");
      }
    },
  );

  it("pass on what the person says", async () => {
    const args = { computer: "12", program: 'my "prog".lua', problem: "it digs down" };
    const text = await textOf("debug-program", args, ["exec-lua"]);
    expect(text).toContain("What goes wrong: it digs down");
    expect(text).toContain('shell.run("my \\"prog\\".lua")');
  });
});
