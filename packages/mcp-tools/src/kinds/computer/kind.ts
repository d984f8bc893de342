import {
  type ComputerProvider,
  isComputer,
  type Provider,
  selectComputer,
  selectorOf,
} from "@ccbridge/registry";
import { defineKind } from "../../core/kind.js";
import { listComputers, probeComputers } from "./core/computers.js";
import { execLua } from "./core/exec-lua.js";
import { getEvents, watchEvents } from "./events/events.js";
import { waitForEvent } from "./events/wait-for-event.js";
import { copyFile } from "./files/copy-file.js";
import { listFiles } from "./files/list-files.js";
import { readFile } from "./files/read-file.js";
import { searchFiles } from "./files/search-files.js";
import { syncFolder } from "./files/sync-folder.js";
import { deleteFile, editFile, writeFile } from "./files/write-file.js";
import { computerHint } from "./hints.js";
import { computerInstructions } from "./instructions.js";
import { cancelJob, getJob, listJobs } from "./jobs/jobs.js";
import { jobProvider } from "./jobs/report.js";
import { jobWords } from "./jobs/words.js";
import { lockText } from "./lock.js";
import { callPeripheral } from "./peripherals/call-peripheral.js";
import { listInventory, moveItems } from "./peripherals/inventory.js";
import { listPeripherals } from "./peripherals/list-peripherals.js";
import { redstone } from "./peripherals/redstone.js";
import { powerComputer, setLabel } from "./power/power.js";
import { prompts } from "./prompts.js";
import { computerResource, computersResource } from "./resources/computers.js";
import { eventsResource } from "./resources/events.js";
import { fileResource, screenResource } from "./resources/files.js";
import { guideResource } from "./resources/guide.js";
import { readScreen } from "./screen/read-screen.js";
import { runProgram } from "./screen/run-program.js";
import { sendInput } from "./screen/send-input.js";
import { turtleRun } from "./turtle/turtle-run.js";
import { setPosition, turtleStatus } from "./turtle/turtle-status.js";

export const computerKind = defineKind({
  name: "computer",
  noun: "computer",
  listedBy: listComputers.name,
  tools: {
    core: [listComputers, probeComputers, execLua, getJob, cancelJob, listJobs],
    files: [
      listFiles,
      readFile,
      writeFile,
      editFile,
      deleteFile,
      copyFile,
      searchFiles,
      syncFolder,
    ],
    peripherals: [listPeripherals, callPeripheral, listInventory, moveItems, redstone],
    turtle: [turtleStatus, setPosition, turtleRun],
    screen: [runProgram, readScreen, sendInput],
    events: [watchEvents, getEvents, waitForEvent],
    power: [setLabel, powerComputer],
  },
  eventsReadBy: getEvents.name,
  resources: [
    computersResource,
    computerResource,
    eventsResource,
    screenResource,
    fileResource,
    guideResource,
  ],
  prompts,
  instructions: computerInstructions,
  hint: computerHint,
  selectorArguments: {
    name: "computerId",
    aliases: ["computer"],
    idOf: (provider) => (isComputer(provider) ? String(provider.computerId) : undefined),
    refOf: (provider, among) =>
      isComputer(provider) ? selectorOf(provider, candidates(among)) : provider.name,
    select: (ref, among) => selectComputer(ref, candidates(among)).provider,
  },
  describe: jobProvider,
  ruleFacts: {
    label: (provider) => (isComputer(provider) ? provider.label : undefined),
    world: (provider) => (isComputer(provider) ? provider.world : undefined),
  },
  logFacts(provider) {
    if (!isComputer(provider)) return {};
    const { computerId, label, world } = provider;
    return { computer: computerId, label, ...(world === null ? {} : { world }) };
  },
  dashboardFacts(provider) {
    const computer = provider as ComputerProvider;
    const { computerId, label, world, computerKind, advanced, agent, methods, allow } = computer;
    return {
      ...{ kind: computerKind, id: computerId, label, world, advanced },
      program: methods.includes("update-agent") ? (agent?.version ?? null) : null,
      lock: allow === null ? null : lockText(allow),
    };
  },
  isCountPublic: true,
  jobs: jobWords,
});

function candidates(among: readonly Provider[]) {
  return among.filter(isComputer).map((provider) => ({ provider }));
}
