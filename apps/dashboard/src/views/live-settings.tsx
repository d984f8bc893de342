import type { LiveSetting, TopicData } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { askPerson } from "../parts/question.js";
import { act } from "../wire/connection.js";

export type SettingsData = TopicData<"settings">;

interface SectionProps {
  data: SettingsData;
}

export function ReadOnly({ data }: SectionProps) {
  const { setting, problem, change } = useSetting(data, "CC_READ_ONLY");
  const isOn = setting.value === "on";
  return (
    <SettingCard title="Read-only" setting={setting} problem={problem}>
      <p class="muted small">
        AI clients and this dashboard may only look, whatever their tokens allow. It counts from the
        next call; what runs already goes on.
      </p>
      <p class="setting-line">
        <button
          type="button"
          disabled={setting.isFixed}
          onClick={() => change(isOn ? "off" : "on")}
        >
          {isOn ? "Let clients act again" : "Make the bridge read-only"}
        </button>
        <span class="muted small">
          {isOn ? "On: clients may only look." : "Off: each token's rights apply."}
        </span>
      </p>
    </SettingCard>
  );
}

export function ToolGroups({ data }: SectionProps) {
  const { setting, problem, change } = useSetting(data, "CC_TOOLS");
  const chosen = setting.value.split(",");
  const isAll = chosen.includes("all");
  const toggle = (group: string, isOn: boolean) => {
    const names = isAll ? data.groups.map(({ name }) => name) : chosen;
    const next = isOn ? [...names, group] : names.filter((name) => name !== group);
    const isEvery = data.groups.every(({ name }) => next.includes(name));
    void change(isEvery ? "all" : next.join(","));
  };
  const groups = data.groups.filter(({ name }) => name !== "offered");
  return (
    <SettingCard title="Tools for AI clients" setting={setting} problem={problem}>
      <p class="muted small">
        Which groups of tools clients find in their list. Fewer leave more room in a chat. The tools
        that reach what computers, servers and pages offer are always there.
      </p>
      <fieldset class="groups" disabled={setting.isFixed}>
        <legend class="visually-hidden">Groups of tools</legend>
        {groups.map(({ name, tools }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={isAll || chosen.includes(name)}
              onChange={({ currentTarget }) => toggle(name, currentTarget.checked)}
            />
            <span>
              <b>{name}</b> <span class="muted small">{tools.join(", ")}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </SettingCard>
  );
}

const pairings = [
  ["auto", "Those on other machines wait; those on this machine, or with a link token, do not."],
  ["on", "Every computer waits, those on this machine and those with a link token too."],
  ["off", "No computer waits: every one that reaches the link port is linked."],
] as const;

export function PairingMode({ data }: SectionProps) {
  const { setting, problem, change } = useSetting(data, "CC_PAIRING");
  const cancelled = useSignal(0);
  const choose = async (mode: string) => {
    if (mode === "off") {
      const answer = await askPerson({
        text: "Without approval every computer that reaches this bridge is linked, also those of strangers. What they show is read by your AI.",
        choices: { off: "Link every computer" },
      });
      if (answer === undefined) {
        cancelled.value += 1;
        return;
      }
    }
    await change(mode);
  };
  return (
    <SettingCard title="Approval of computers" setting={setting} problem={problem}>
      <p class="muted small">
        Which computers wait until you approve them once. A change holds at once: computers that now
        need an approval and have none lose their link, and show a code.
      </p>
      {/* Made again when a choice was cancelled, so that it shows the one that holds. */}
      <fieldset key={cancelled.value} class="groups" disabled={setting.isFixed}>
        <legend class="visually-hidden">Which computers need approval</legend>
        {pairings.map(([mode, meaning]) => (
          <label key={mode} class="check">
            <input
              type="radio"
              name="pairing"
              checked={setting.value === mode}
              onChange={() => void choose(mode)}
            />
            <span>
              <b>{mode}</b> <span class="muted small">{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </SettingCard>
  );
}

const MEGABYTE = 1_048_576;

const kept = [
  ["CC_HISTORY_CALL_DAYS", "Calls and links", "days", 1],
  ["CC_HISTORY_EVENT_DAYS", "Events", "days", 1],
  ["CC_HISTORY_JOB_DAYS", "Results of jobs", "days", 1],
  ["CC_HISTORY_CHANGE_DAYS", "Changes, to undo them", "days", 1],
  ["CC_HISTORY_MAX_BYTES", "All together at most", "MB", MEGABYTE],
] as const;

export function Retention({ data }: SectionProps) {
  return (
    <section class="card" aria-labelledby="retention">
      <h2 id="retention">History</h2>
      <p class="muted small">
        How long the bridge remembers what happened. What is older, or beyond the size, is deleted,
        the oldest first, and cannot be brought back.
      </p>
      {kept.map(([name, title, unit, factor]) => (
        <Kept key={name} {...{ data, name, title, unit, factor }} />
      ))}
    </section>
  );
}

interface KeptProps extends SectionProps {
  name: string;
  title: string;
  unit: string;
  factor: number;
}

function Kept({ data, name, title, unit, factor }: KeptProps) {
  const { setting, problem, change } = useSetting(data, name);
  const now = Math.round(Number(setting.value) / factor);
  const typed = useSignal<string | undefined>(undefined);
  const save = async () => {
    const wanted = Number(typed.peek());
    if (wanted < now) {
      const answer = await askPerson({
        text: `${title}: what is beyond ${wanted} ${unit} is deleted now, and cannot be brought back.`,
        choices: { less: `Keep only ${wanted} ${unit}` },
      });
      if (answer === undefined) return;
    }
    if (await change(String(wanted * factor))) typed.value = undefined;
  };
  return (
    <form
      class="setting-line"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label class="kept">
        <span>{title}</span>
        <input
          type="number"
          min={1}
          required
          disabled={setting.isFixed}
          value={typed.value ?? String(now)}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
        <span>{unit}</span>
      </label>
      {typed.value !== undefined && typed.value !== String(now) && (
        <button type="submit" aria-label={`Save ${title.toLowerCase()}`}>
          Save
        </button>
      )}
      <Fixed setting={setting} />
      <Problem text={problem} />
    </form>
  );
}

function useSetting(data: SettingsData, name: string) {
  const problem = useSignal<string | undefined>(undefined);
  const setting = data.settings.find((each) => each.name === name) ?? missing(name);
  const change = async (value: string): Promise<boolean> => {
    try {
      await act("change-setting", { name, value });
      problem.value = undefined;
      return true;
    } catch (error) {
      problem.value = (error as Error).message;
      return false;
    }
  };
  return { setting, problem: problem.value, change };
}

/** Of a bridge that has no such setting. */
function missing(name: string): LiveSetting {
  return { name, value: "", default: "", isFixed: true };
}

interface SettingCardProps {
  title: string;
  setting: LiveSetting;
  problem: string | undefined;
  children: ComponentChildren;
}

function SettingCard({ title, setting, problem, children }: SettingCardProps) {
  return (
    <section class="card" aria-labelledby={setting.name}>
      <h2 id={setting.name}>{title}</h2>
      {children}
      <Fixed setting={setting} />
      <Problem text={problem} />
    </section>
  );
}

function Fixed({ setting: { isFixed, name } }: { setting: LiveSetting }) {
  if (!isFixed) return null;
  return (
    <p class="muted small">
      Set where the bridge is started (<code>{name}</code>), and only changed there.
    </p>
  );
}

function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}
