import type { KeptState } from "@ccbridge/registry";
import { ToolError } from "../../../core/errors.js";
import type { Undoer } from "../../../core/undo.js";
import { inline } from "../../../format/set-apart.js";
import { computerOf } from "../computer.js";
import { askComputer } from "./ask.js";
import { fileNow, hashOf, isFolder } from "./file-state.js";
import { writeWhole } from "./write-whole.js";

export const undoFile: Undoer = {
  canForce: true,
  shownBy: "read-file",
  async read(context, provider, { subject }) {
    return await fileNow(context, computerOf(provider), subject);
  },
  isSame(a, b) {
    const hash = hashOf(a);
    return hash !== undefined && hash === hashOf(b);
  },
  stateText: fileText,
  async restore(context, { provider, change, present, target }) {
    const computer = computerOf(provider);
    const path = change.subject;
    const expectedHash = hashOf(present.state);
    if (isFolder(present.state)) {
      throw new ToolError("there is a folder of that name now", "Move it away first.");
    }
    if (target.content !== undefined) {
      await writeWhole(context, computer, path, { bytes: target.content, expectedHash });
    } else {
      await askComputer(context, computer, "delete-file", {
        path,
        ...(expectedHash === undefined ? {} : { expectedHash }),
      });
    }
  },
};

function fileText(state: KeptState): string {
  if (hashOf(state) === "absent") return "no file";
  if (isFolder(state)) return "a folder";
  const { size, hash } = state;
  return `${size} bytes${typeof hash === "string" ? `, hash ${inline(hash)}` : ""}`;
}
