import { inline } from "../../format/set-apart.js";

export function lockText(allow: string): string {
  const what =
    allow === "look" ? "looking" : allow === "files" ? "looking and changing files" : inline(allow);
  return `locked by its player, who allows only ${what}`;
}

export const UNLOCK =
  "Only the player can change that, at the computer: set mcp_computer.allow all, then start mcp-computer again. Do not try another way around it.";
