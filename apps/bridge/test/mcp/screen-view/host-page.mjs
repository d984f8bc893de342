// The page of a chat program: it shows the view in a sandbox, with the extension's own bridge, and
// passes the view's calls to the MCP client of the test.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/** What the view reported, for the test to read. */
const reports = { sizes: [], modes: [], contexts: [] };

async function open({ url, capabilities, context }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  const bridge = new AppBridge(null, { name: "chat", version: "1" }, capabilities, {
    hostContext: context,
  });
  bridge.oncalltool = (params) => window.callTool(params);
  bridge.onsizechange = ({ height }) => {
    reports.sizes.push(height);
    frame.style.height = `${height}px`;
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    reports.modes.push(mode);
    bridge.setHostContext({ ...context, displayMode: mode });
    return { mode };
  };
  bridge.onupdatemodelcontext = async ({ content }) => {
    reports.contexts.push(content);
    return {};
  };
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  document.body.append(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = url;
  await initialized;
  window.host.bridge = bridge;
}

window.host = { open, reports };
