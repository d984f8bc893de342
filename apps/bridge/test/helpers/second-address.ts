/** Another address of this machine. macOS has only one loopback address, so tests that need two skip there. */
export const secondAddress = process.platform === "darwin" ? undefined : "127.0.0.2";
