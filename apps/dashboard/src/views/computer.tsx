import { fleet, fleetProblem, isComputer, titleOf } from "../fleet.js";
import { State } from "../parts/state.js";
import { Ago } from "../parts/time.js";
import { computerHref } from "../route.js";
import { useTitle } from "../title.js";
import { Away } from "./away.js";
import { EventsTab } from "./events.js";
import { FilesTab } from "./files.js";
import { JobsTab } from "./jobs.js";
import { PageTab } from "./page.js";
import { PeripheralsTab } from "./peripherals.js";
import { ScreenTab } from "./screens.js";
import { ServerTab } from "./server.js";
import { TurtleTab } from "./turtle.js";
import { filesOf, UnsavedOfAway } from "./unsaved.js";

const tabs = {
  page: { title: "Page", View: PageTab },
  server: { title: "Players and chat", View: ServerTab },
  turtle: { title: "Turtle", View: TurtleTab },
  screen: { title: "Screens", View: ScreenTab },
  jobs: { title: "Jobs", View: JobsTab },
  files: { title: "Files", View: FilesTab },
  events: { title: "Events", View: EventsTab },
  peripherals: { title: "Peripherals", View: PeripheralsTab },
} as const;

type Tab = keyof typeof tabs;

export function Computer({ id, tab }: { id: string; tab: string }) {
  const row = fleet.value?.get(id);
  const title = row === undefined ? "Unknown" : titleOf(row);
  useTitle(title);
  if (row === undefined) {
    return (
      <section class="stack">
        <a href="#/fleet">← Fleet</a>
        <p class="muted">
          {fleetProblem.value ??
            (fleet.value === undefined
              ? "Waiting for the bridge …"
              : "Nothing has this name. A page or server that left is here again once it links.")}
        </p>
        <UnsavedOfAway id={id} />
      </section>
    );
  }
  const { kind, world, state, lastSeenAt } = row;
  const names = (Object.keys(tabs) as Tab[]).filter((name) => isShown(kind, name));
  const unsaved = filesOf(id).length;
  const [usual = "jobs"] = names;
  const shown = names.find((name) => name === tab) ?? usual;
  const { View } = tabs[shown];
  const facts = [
    kind,
    row.id === null ? undefined : `#${row.id}`,
    world ?? undefined,
    row.bridge === null ? undefined : `on bridge ${row.bridge}`,
    row.lock ?? undefined,
  ];
  return (
    <section class="stack">
      <a class="back" href="#/fleet">
        ← Fleet
      </a>
      <div class="head">
        <div class="who-head">
          <span class={`block ${kind}`} aria-hidden="true" />
          <div>
            <h1>{title}</h1>
            <p class="muted small">
              {facts.filter((fact) => fact !== undefined && fact !== title).join(" · ")}
            </p>
          </div>
        </div>
        <p class="small">
          <State state={state} />{" "}
          {state !== "live" && lastSeenAt !== null && (
            <span class="muted">
              last seen <Ago at={lastSeenAt} />
            </span>
          )}
        </p>
      </div>
      {state !== "away" && (
        <nav class="tabs" aria-label={`Parts of ${title}`}>
          {names.map((name) => (
            <a
              key={name}
              href={computerHref(id, name)}
              aria-current={name === shown ? "page" : undefined}
            >
              {tabs[name].title}
              {name === "files" && unsaved > 0 && (
                <span class="badge unsaved small">{unsaved} unsaved</span>
              )}
            </a>
          ))}
        </nav>
      )}
      {state === "away" ? <Away row={row} /> : <View id={id} name={title} kind={kind} />}
    </section>
  );
}

function isShown(kind: string, tab: Tab): boolean {
  if (kind === "page" || tab === "page") return tab === kind;
  if (tab === "server" || tab === "turtle") return kind === tab;
  if (isComputer(kind)) return true;
  return tab === "jobs" || tab === "events";
}
