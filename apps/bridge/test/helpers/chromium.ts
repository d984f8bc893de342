import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { onTestFinished } from "vitest";

const names = ["chromium", "chromium-browser", "google-chrome"];

export const chromiumPath: string | undefined = [
  ...(process.env.CHROMIUM === undefined ? [] : [process.env.CHROMIUM]),
  ...(process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name))),
].find((path) => existsSync(path));

export const chromiumNote =
  chromiumPath === undefined ? " (skipped: no Chromium found; set CHROMIUM=<path>)" : "";

export async function startChromium(): Promise<BrowserContext> {
  const { browser, close } = await launchChromium();
  onTestFinished(close);
  return browser;
}

export async function launchChromium(more: readonly string[] = []): Promise<{
  browser: BrowserContext;
  close(): Promise<void>;
}> {
  const profile = mkdtempSync(join(tmpdir(), "ccbridge-chromium-"));
  const browser = await chromium.launchPersistentContext(profile, {
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    // Its default, which would also switch off an extension that a test loads.
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
    viewport: { width: 1_200, height: 640 },
  });
  const close = async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { browser, close };
}
