import { toolGroups } from "@ccbridge/mcp-tools";
import { LinkErrorCode, REVOKED, type Registry } from "@ccbridge/registry";
import type { Pairing } from "../auth/pairing/pairing.js";
import {
  LiveSettingError,
  type LiveSettings,
  liveNames,
  settingText,
} from "../config/live-settings.js";
import { settings } from "../config/settings.js";
import type { DashboardServices } from "./context/services.js";
import { refusal } from "./context/tools.js";

export function shownSettings(live: LiveSettings): DashboardServices["settings"] {
  return {
    list: () => ({
      keptIn: live.file ?? null,
      settings: liveNames.map((name) => ({
        name: settings[name].env,
        value: settingText(live.values[name]),
        default: settingText(settings[name].default),
        isFixed: live.isFixed(name),
      })),
      groups: Object.entries(toolGroups).map(([name, tools]) => ({
        name,
        tools: tools.map((tool) => tool.name),
      })),
    }),
    change({ name, value }) {
      try {
        live.change(name, value);
      } catch (error) {
        if (error instanceof LiveSettingError) throw refusal(error.message);
        throw error;
      }
    },
    subscribe: (listener) => live.subscribe(listener),
  };
}

export function revokeApproval(
  pairing: Pairing | undefined,
  registry: Registry,
): DashboardServices["revokeApproval"] {
  return (key, by) => {
    if (pairing?.revoke(key, by) === undefined) return false;
    registry.session(key)?.close(LinkErrorCode.disconnected, REVOKED);
    return true;
  };
}
