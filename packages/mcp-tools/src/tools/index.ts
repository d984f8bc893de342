import type { Tool } from "../define-tool.js";
import { listComputers, probeComputers } from "./computers.js";
import { cancelJob, getJob, listJobs } from "./jobs.js";
import { execLua } from "./lua.js";

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  listComputers,
  probeComputers,
  execLua,
  getJob,
  cancelJob,
  listJobs,
];
