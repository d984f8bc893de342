import { defineConfig } from "vite";

export default defineConfig(({ command }) => {
  // Tests build the page too, and set this to something else: paths of this machine would stand in it then.
  if (command === "build") process.env.NODE_ENV = "production";
  return {
    resolve: { conditions: ["@ccbridge/source", "browser", "module", "production"] },
    build: {
      // The bridge serves `/dashboard/*` for as long as a browser likes to keep it.
      assetsDir: "dashboard",
      target: "es2023",
      // Everything is a file of its own: the page may load nothing inline.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  };
});
