import { Logger } from "../src/logging.js";

/** A log that nobody reads. */
export const silent = new Logger({ write: () => {}, level: "ERROR" });
