import { isPage } from "@ccbridge/registry";
import { defineKind } from "../../core/kind.js";
import { pageCaller } from "./call-page-tool.js";

/** Web pages: they have no tools but those that they offer. */
export const pageKind = defineKind({
  name: "page",
  noun: "page",
  listedBy: "list-offered-tools",
  tools: {},
  // Pages come and go with each reload, and a person sees which one is open.
  selectorArguments: { name: "page", choosesOnly: true },
  offers: pageCaller,
  ruleFacts: { page: (provider) => (isPage(provider) ? provider.site : undefined) },
});
