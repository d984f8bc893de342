import { z } from "zod";
import { integer, onOff, setting, text } from "./setting.js";

const choices = ["on", "memory"] as const;
const days = integer(1, 3_650);

export const historySettings = {
  history: setting(
    "CC_HISTORY",
    z.enum(choices, `must be one of ${choices.join(", ")}`) as z.ZodType<
      (typeof choices)[number],
      string
    >,
    "on",
    "on|memory",
    "Whether calls, events, jobs and permissions are kept in a file and survive a restart, or in memory only; see [history.md](history.md).",
  ),
  historyFile: setting(
    "CC_HISTORY_FILE",
    text,
    "",
    "path",
    "Where the history is kept. None: .ccbridge/history.db in the home folder; for a bridge on another link port, history-PORT.db; on a random port (0), in memory.",
  ),
  historyCallDays: setting(
    "CC_HISTORY_CALL_DAYS",
    days,
    90,
    "days",
    "How long calls and links are kept.",
    "Older ones are deleted.",
  ),
  historyEventDays: setting(
    "CC_HISTORY_EVENT_DAYS",
    days,
    10,
    "days",
    "How long events are kept.",
    "Older ones are deleted.",
  ),
  historyJobDays: setting(
    "CC_HISTORY_JOB_DAYS",
    days,
    7,
    "days",
    "How long the results of finished jobs are kept.",
    "Older ones are deleted.",
  ),
  historyChangeDays: setting(
    "CC_HISTORY_CHANGE_DAYS",
    days,
    30,
    "days",
    "How long changes can be undone.",
    "Older ones are deleted.",
  ),
  keepJobFiles: setting(
    "CC_UNDO_JOBS",
    onOff,
    true,
    "on|off",
    "Whether files that jobs change through fs can be undone: computers keep what was in them before.",
  ),
  historyMaxBytes: setting(
    "CC_HISTORY_MAX_BYTES",
    integer(1_048_576, 1_099_511_627_776),
    1_073_741_824,
    "bytes",
    "How large the history may get.",
    "The oldest is deleted before its time: events and results first, then calls.",
  ),
} as const;
