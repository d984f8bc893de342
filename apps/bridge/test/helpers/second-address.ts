/** Another address of this machine. The loopback of macOS has one alone, so tests that need two skip there. */
export const secondAddress = process.platform === "darwin" ? undefined : "127.0.0.2";
