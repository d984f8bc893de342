import { build, defineConfig, type Plugin, type UserConfig } from "vite";

const shared = {
  resolve: { conditions: ["@ccbridge/source", "browser", "module", "production"] },
} satisfies UserConfig;

/** Inlines script and style: an MCP host loads only one file. */
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
  // Vitest sets it to "test", which would leave paths of this machine in the page.
  if (command === "build") process.env.NODE_ENV = "production";
  return {
    ...shared,
    plugins: [screenView()],
    // `pnpm dev`: the page comes from here, its data from the bridge.
    server: {
      host: "127.0.0.1",
      port: 5_173,
      strictPort: true,
      proxy: {
        "/dashboard/live": {
          target: `ws://127.0.0.1:${process.env.CCBRIDGE_DEV_PORT ?? "3000"}`,
          ws: true,
        },
      },
    },
    build: {
      // The bridge serves `/dashboard/*` as immutable.
      assetsDir: "dashboard",
      target: "es2023",
      // The CSP allows nothing inline.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  };
});
