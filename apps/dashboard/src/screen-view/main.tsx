import { render } from "preact";
import { Host, type HostContext, type ToolResult } from "./host.js";
import { Place, reportSize } from "./place.js";
import { ScreenPane } from "./screen-pane.js";
import { Viewing } from "./viewing.js";
import { Visibility } from "./visibility.js";
import "../screen/terminal.css";
import "./screen-view.css";

const host = new Host(window);
const viewing = new Viewing(host, new Visibility());
const place = new Place();

const notifications: Readonly<Record<string, (params: Record<string, unknown>) => void>> = {
  "ui/notifications/tool-input": ({ arguments: args }) =>
    viewing.takeInput((args ?? {}) as Record<string, unknown>),
  "ui/notifications/tool-result": (result) => viewing.takeResult(result as ToolResult),
  "ui/notifications/tool-cancelled": () => viewing.takeCancelled(),
  "ui/notifications/host-context-changed": (context) => place.update(context as HostContext),
};

const root = document.getElementById("view");
if (root !== null) render(<ScreenPane viewing={viewing} place={place} host={host} />, root);

const { hostCapabilities, hostContext } = await host.connect({
  notified: (method, params) => notifications[method]?.(params),
  tornDown: () => viewing.close(),
});
place.update(hostContext ?? {});
reportSize(host);
if (hostCapabilities?.serverTools !== undefined) {
  viewing.begin({ canTellModel: hostCapabilities.updateModelContext !== undefined });
}
