import { signal } from "@preact/signals";

const narrow = window.matchMedia("(max-width: 720px)");

export const isPhone = signal(narrow.matches);

narrow.addEventListener("change", ({ matches }) => {
  isPhone.value = matches;
});
