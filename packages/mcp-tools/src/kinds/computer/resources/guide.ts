import type { Resource } from "../../../core/resource.js";
import { guideText } from "../guide.js";

const about = {
  name: "guide",
  title: "Lua in ComputerCraft",
  description:
    "What programs for ComputerCraft get wrong most often. Read it before you write one.",
};

export const guideResource: Resource = {
  ...about,
  mimeType: "text/markdown",
  shownBy: "list-computers",
  template: "cc://guide",
  list: async () => [{ uri: "cc://guide", ...about }],
  read: async () => ({ text: guideText() }),
};
