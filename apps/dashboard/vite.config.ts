import { build, defineConfig, type Plugin, type UserConfig } from "vite";

const shared = {
  resolve: { conditions: ["@ccbridge/source", "browser", "module", "production"] },
} satisfies UserConfig;

/** Puts the script and the style of a page into it: a host shows nothing but the one file. */
function inline(): Plugin {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_, bundle) {
      const takeOut = (fileName: string) => {
        const file = bundle[fileName.replace(/^\//, "")];
        if (file === undefined) throw new Error(`${fileName} is not a part of the page`);
        delete bundle[file.fileName];
        return file.type === "chunk" ? file.code : String(file.source);
      };
      for (const page of Object.values(bundle)) {
        if (page.type !== "asset" || !page.fileName.endsWith(".html")) continue;
        page.source = String(page.source)
          .replace(
            /<link rel="stylesheet"[^>]* href="([^"]+)">/g,
            (_, path: string) => `<style>${takeOut(path)}</style>`,
          )
          .replace(
            /<script type="module"[^>]* src="([^"]+)"><\/script>/g,
            (_, path: string) =>
              `<script type="module">${takeOut(path).replaceAll("</script", "<\\/script")}</script>`,
          );
      }
      const rest = Object.keys(bundle).filter((name) => !name.endsWith(".html"));
      if (rest.length > 0) throw new Error(`not in the page: ${rest.join(", ")}`);
    },
  };
}

/** The screen view for chats, an MCP App: a page of its own in one file, built with the dashboard. */
function screenView(): Plugin {
  return {
    name: "screen-view",
    apply: "build",
    async closeBundle() {
      await build({
        ...shared,
        configFile: false,
        root: import.meta.dirname,
        logLevel: "warn",
        plugins: [inline()],
        build: {
          target: "es2023",
          emptyOutDir: false,
          modulePreload: { polyfill: false },
          rolldownOptions: { input: "screen-view.html" },
        },
      });
    },
  };
}

export default defineConfig(({ command }) => {
  // Tests build the page too, and set this to something else: paths of this machine would stand in it then.
  if (command === "build") process.env.NODE_ENV = "production";
  return {
    ...shared,
    plugins: [screenView()],
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
