const form = document.forms[0];
const { url, token } = form.elements;

Object.assign(url, { value: (await chrome.storage.local.get({ url: "ws://127.0.0.1:8765" })).url });
Object.assign(token, { value: (await chrome.storage.local.get({ token: "" })).token });
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await chrome.storage.local.set({ url: url.value, token: token.value });
  form.querySelector("output").textContent = "Saved.";
});
