import { Logger } from "../src/logging.js";

export const silent = new Logger({ write: () => {}, level: "ERROR" });
