import type { Undoer } from "../../../core/undo.js";
import { ITEMS, undoItems } from "./items.js";
import { FILE } from "./keep-files.js";
import { LABEL, REDSTONE, SETTING, undoLabel, undoRedstone, undoSetting } from "./settings.js";
import { undoFile } from "./undo-file.js";

export const undo: Readonly<Record<string, Undoer>> = {
  [FILE]: undoFile,
  [ITEMS]: undoItems,
  [LABEL]: undoLabel,
  [REDSTONE]: undoRedstone,
  [SETTING]: undoSetting,
};
