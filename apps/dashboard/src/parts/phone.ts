import { signal } from "@preact/signals";

const narrow = window.matchMedia("(max-width: 720px)");

/** Whether the page is as narrow as a phone; the style sheets know the same width. */
export const isPhone = signal(narrow.matches);

narrow.addEventListener("change", ({ matches }) => {
  isPhone.value = matches;
});
