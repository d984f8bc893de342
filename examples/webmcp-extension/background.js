// A click on the button offers the tools of a tab to the bridge; the next click, or a navigation, takes them back.

chrome.action.onClicked.addListener(({ id }) => toggle(id));

/** @param {number} tabId */
async function toggle(tabId) {
  const options = await chrome.storage.local.get({ url: "ws://127.0.0.1:8765", token: "" });
  const target = { tabId };
  const [{ result: isOffered }] = await chrome.scripting.executeScript({
    target,
    func: stopOr,
    args: [options],
  });
  // Beside the page's own scripts, which see neither the token nor the connection.
  if (!isOffered) await chrome.scripting.executeScript({ target, files: ["webmcp.js"] });
  await chrome.action.setBadgeText({ tabId, text: isOffered ? "" : "on" });
}

/** Runs in the tab: ends a connection, or leaves the options for the script that opens one. */
function stopOr(options) {
  const { page } = globalThis.ccbridge ?? {};
  page?.close();
  globalThis.ccbridge = page === undefined ? options : undefined;
  return page !== undefined;
}
