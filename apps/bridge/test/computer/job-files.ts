import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect } from "vitest";
import { callTool } from "../helpers/sdk-client.js";

/** Every byte, line ends of all kinds, an empty file, and one that is longer than a job's log is kept. */
const FILES = `
  local bytes = {}
  for code = 0, 255 do bytes[#bytes + 1] = string.char(code) end
  local files = {
    ["/u/bytes"] = table.concat(bytes), ["/u/lines"] = "one\\ntwo\\r\\n", ["/u/empty"] = "",
    ["/u/moved"] = "to be moved", ["/u/sub/deep"] = "deep", ["/u/log"] = ("line\\n"):rep(8000),
  }`;

const MAKE = `${FILES}
  for path, text in pairs(files) do local f = fs.open(path, "wb") f.write(text) f.close() end`;

const CHANGE = `
  local function put(path, mode, text) local f = fs.open(path, mode) f.write(text) f.close() end
  put("/u/bytes", "w", "new") put("/u/lines", "a", "three") put("/u/lines", "w", "other") put("/u/empty", "a", "x")
  for i = 1, 50 do put("/u/log", "a", "line " .. i .. "\\n") end
  fs.move("/u/moved", "/u/elsewhere") fs.copy("/u/log", "/u/copy") fs.delete("/u/sub") put("/u/new", "w", "new")`;

/** What is not as {@link MAKE} left it. */
const DIFFERENCES = `${FILES}
  local wrong = {}
  local function look(folder)
    for _, name in ipairs(fs.list(folder)) do
      local path = folder .. "/" .. name
      if fs.isDir(path) then look(path) elseif not files[path] then wrong[#wrong + 1] = "new " .. path end
    end
  end
  look("/u")
  for path, text in pairs(files) do
    local f = fs.open(path, "rb")
    local found = f and (f.readAll() or "")
    if f then f.close() end
    if found ~= text then wrong[#wrong + 1] = path end
  end
  table.sort(wrong)
  return table.concat(wrong, " ")`;

/** Files that a job changed come back byte for byte, and undoing that brings back what the job left. */
export async function undoesJobFiles(client: Client, computerId: number): Promise<void> {
  const run = async (code: string) => {
    const answer = await callTool(client, "exec-lua", { computerId, code });
    const { jobId, state, returns } = answer.structuredContent as {
      jobId: string;
      state: string;
      returns?: { value: unknown }[];
    };
    expect(state, answer.text).toBe("done");
    return { jobId, value: returns?.[0]?.value };
  };
  const differences = async () => (await run(DIFFERENCES)).value;
  await run(MAKE);
  expect(await differences()).toBe("");
  const { jobId: job } = await run(CHANGE);
  const changed = await differences();
  expect(changed).toBe(
    "/u/bytes /u/empty /u/lines /u/log /u/moved /u/sub/deep new /u/copy new /u/elsewhere new /u/new",
  );
  const undone = await callTool(client, "undo-change", { job, dryRun: false });
  expect(undone.text).not.toContain("REFUSED");
  expect(await differences()).toBe("");
  const { structuredContent } = await callTool(client, "list-changes");
  const [{ trace } = { trace: "" }] = (structuredContent as { changes: { trace: string }[] })
    .changes;
  await callTool(client, "undo-change", { trace, dryRun: false });
  expect(await differences()).toBe(changed);
}
