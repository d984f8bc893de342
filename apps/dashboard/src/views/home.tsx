import type { FleetRow, JobRow, TopicData } from "@ccbridge/protocol/dashboard";
import { useCalls } from "../calls.js";
import { fleet, titleOf } from "../fleet.js";
import { nameOf } from "../names.js";
import { Copy } from "../parts/copy.js";
import { Ago, durationText, Lasted } from "../parts/time.js";
import { computerHref } from "../route.js";
import { ScreenPicture } from "../screen/picture.js";
import { tasksOf } from "../tasks.js";
import { waitingCount } from "../waiting.js";
import { mayDecide, useTopic } from "../wire/hooks.js";
import { Notices } from "./notices.js";
import { AllUnsaved } from "./unsaved.js";
import { Waiting } from "./waiting.js";

const MAX_TILES = 6;
const MAX_RUNNING = 8;
const MAX_TASKS = 5;

export type Work = TopicData<"work">["jobs"][number];

/** Answers: what needs me, what is my base doing, what did the AI do. */
export function Home() {
  const { data, error } = useTopic("work", {});
  const jobs = data?.jobs ?? [];
  const running = jobs.filter(({ ended }) => !ended);
  const rows = fleet.value;
  const live = [...(rows?.values() ?? [])].filter(({ state }) => state === "live");
  return (
    <section class="stack home">
      <div class="head">
        <h1>Home</h1>
        <p class="muted">
          {live.length} linked · {running.length} {running.length === 1 ? "job runs" : "jobs run"}
        </p>
      </div>
      {error !== undefined && <p class="problem">{error}</p>}
      <AllUnsaved />
      {mayDecide() && waitingCount.value > 0 && <Waiting />}
      <Notices jobs={jobs} rows={rows} />
      <Tiles running={running} rows={rows} />
      <Running running={running} rows={rows} />
      <LastTasks />
    </section>
  );
}

type Rows = ReadonlyMap<string, FleetRow> | undefined;

function Tiles({ running, rows }: { running: readonly Work[]; rows: Rows }) {
  const keys = new Set<string>();
  const programs = running.filter(({ method, key, linked }) => {
    if (method !== "run-program" || !linked || keys.has(key)) return false;
    keys.add(key);
    return rows?.get(key)?.state === "live";
  });
  if (programs.length === 0) return null;
  return (
    <section class="stack" aria-label="Screens">
      <h2>Screens</h2>
      <ul class="tiles">
        {programs.slice(0, MAX_TILES).map((job) => (
          <li key={job.key}>
            <Tile job={job} name={nameOf(job.key)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Tile({ job, name }: { job: Work; name: string }) {
  const { data } = useTopic("screen", { key: job.key, job: job.id });
  const screen = data?.screen ?? undefined;
  return (
    <a class="tile card" href={computerHref(job.key)}>
      <span class="tile-head">
        <b>{name}</b> <span class="muted small">{job.summary ?? ""}</span>
      </span>
      {screen === undefined ? (
        <span class="muted small pad">{data?.problem ?? "…"}</span>
      ) : (
        <ScreenPicture screen={screen} label={`Screen of ${name}`} />
      )}
    </a>
  );
}

function Running({ running, rows }: { running: readonly Work[]; rows: Rows }) {
  return (
    <section class="stack" aria-label="What runs">
      <h2>What runs</h2>
      {running.length === 0 ? (
        <p class="muted">Nothing runs at the moment.</p>
      ) : (
        <ul class="running card">
          {running.slice(0, MAX_RUNNING).map((job) => {
            const row = rows?.get(job.key);
            return (
              <li key={job.id}>
                <a href={computerHref(job.key, "jobs")}>
                  {row === undefined ? "A computer" : titleOf(row)}
                </a>
                <span class="running-what">
                  <code>{firstLine(job)}</code>
                  <Progress text={job.progress} />
                </span>
                <span class="muted small">
                  {job.state === "queued" ? "waiting for " : ""}
                  <Lasted from={job.startedAt ?? job.createdAt} to={null} />
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {running.length > MAX_RUNNING && (
        <p class="muted small">and {running.length - MAX_RUNNING} more</p>
      )}
    </section>
  );
}

export function firstLine({ summary, method }: JobRow): string {
  return (summary ?? method).split("\n", 1)[0] ?? method;
}

function Progress({ text }: { text: string | null }) {
  if (text === null) return null;
  const [, done, total] = /^([\d.]+) of ([\d.]+)/.exec(text) ?? [];
  return (
    <span class="small">
      {done !== undefined && total !== undefined && (
        <progress value={Number(done)} max={Number(total)} aria-label={text} />
      )}{" "}
      {text}
    </span>
  );
}

function LastTasks() {
  const calls = useCalls();
  const problem = calls.problem.value;
  const asked = calls.shown.value.filter(({ software }) => software !== "dashboard");
  const tasks = tasksOf(asked, nameOf).slice(0, MAX_TASKS);
  return (
    <section class="stack" aria-label="What the AI did">
      <h2>What the AI did</h2>
      {problem !== undefined && <p class="problem">{problem}</p>}
      {tasks.length === 0 ? (
        <NothingAsked />
      ) : (
        <ul class="did card">
          {tasks.map((task) => (
            <li key={task.id}>
              <a href={`#/activity/${task.id}`}>
                <b>{task.who}</b> {task.sentence}
                {task.failed > 0 && <span class="problem"> · {task.failed} failed</span>}
              </a>
              <span class="muted small">
                {task.calls.length} {task.calls.length === 1 ? "call" : "calls"},{" "}
                {durationText(task.to - task.from)} · {task.isOpen ? "now" : <Ago at={task.to} />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The next step once computers are linked. */
export function NothingAsked() {
  return (
    <div class="card empty">
      <p>No client has called a tool yet.</p>
      <p class="muted small">
        If your AI client does not know this bridge yet, <a href="#/connect">Connect</a> has its
        configuration. Then ask it, for example:
      </p>
      <Copy
        text="Which of my computers are linked, and what do they do?"
        label="a question for your client"
      />
    </div>
  );
}
