import type { Viewer } from "@ccbridge/protocol/dashboard";
import { dropAllDrafts, isUnstored, unsavedFiles } from "./editor/drafts.js";
import { fleet } from "./fleet.js";
import { askPerson, QuestionDialog } from "./parts/question.js";
import { type Place, places, route } from "./route.js";
import { SignIn } from "./sign-in.js";
import { nextTheme, theme } from "./theme.js";
import { useTitle } from "./title.js";
import { Activity } from "./views/activity.js";
import { Toasts } from "./views/alerts.js";
import { Clients } from "./views/clients.js";
import { Computer } from "./views/computer.js";
import { Connect } from "./views/connect.js";
import { Fleet } from "./views/fleet.js";
import { Home } from "./views/home.js";
import { Numbers } from "./views/numbers.js";
import { Settings } from "./views/settings.js";
import { waitingCount } from "./waiting.js";
import { connection, forgetToken, slowActions, token } from "./wire/connection.js";
import { mustAsk } from "./wire/hooks.js";

const titles: Readonly<Record<Place, string>> = {
  home: "Home",
  fleet: "Fleet",
  activity: "Activity",
  clients: "Clients",
  numbers: "Numbers",
  connect: "Connect",
  settings: "Settings",
};

const symbols: Readonly<Record<Place, string>> = {
  home: "M3 11l9-8 9 8M5 10v10h14V10",
  fleet: "M3 4h18v11H3zM8 20h8M12 15v5",
  activity: "M3 12h4l3-8 4 16 3-8h4",
  clients: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-5 4-7 8-7s7 2 8 7",
  numbers: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  settings: "M4 7h10M18 7h2M14 5v4M4 17h2M10 17h10M8 15v4",
  connect: "M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v4",
};

export function App() {
  const { kind } = connection.value;
  if (kind === "token" || kind === "refused") return <SignIn />;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Sidebar />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard */}
      <main id="main" tabIndex={0}>
        {kind === "open" && connection.value.kind === "open" && connection.value.isDemo && (
          <p class="banner demo" role="note">
            Demo: no Minecraft runs, and the AI's calls are replayed. Your own base starts with{" "}
            <code>node start</code>.
          </p>
        )}
        {kind === "lost" && (
          <p class="banner" role="status">
            The connection to the bridge is lost. What you see may be out of date. Trying again …
          </p>
        )}
        {mustAsk() && slowActions.value > 0 && (
          <p class="banner" role="status">
            A person must allow what you do. It waits for an owner of this bridge, at their
            dashboard.
          </p>
        )}
        {isUnstored.value && (
          <p class="banner" role="status">
            This browser cannot store all of your unsaved text: its storage is full or blocked, or
            there is too much of it. It stays until you close or reload this page. Save or discard
            some files.
          </p>
        )}
        <View />
      </main>
      <Toasts />
      <QuestionDialog />
    </div>
  );
}

function Sidebar() {
  const here = route.value.place;
  const open = connection.value.kind === "open" ? connection.value : undefined;
  return (
    <header class="side">
      <p class="brand">
        <span class="logo" aria-hidden="true" />
        ccbridge
      </p>
      <nav aria-label="Parts of the dashboard">
        <ul>
          {places.map((place) => (
            <li key={place}>
              <a
                href={`#/${place}`}
                aria-current={
                  here === place || (here === "computer" && place === "fleet") ? "page" : undefined
                }
              >
                <NavIcon path={symbols[place]} />
                {titles[place]}
                {place === "home" && waitingCount.value > 0 && (
                  <span class="badge waiting">
                    {waitingCount.value}
                    <span class="visually-hidden"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        {open !== undefined && (
          <p class="muted small">
            {open.viewer.name ?? "You"} · <span class="rights">{rightsText(open.viewer)}</span>
            <span class="version">
              <br />
              version {open.version}
            </span>
          </p>
        )}
        <button type="button" class="quiet" onClick={nextTheme}>
          Theme: {theme.value}
        </button>
        {token() !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => void signOut(open?.viewer.name ?? "you")}
          >
            Sign out
          </button>
        )}
      </div>
    </header>
  );
}

function rightsText({ mayAct, mustAsk: asks }: Viewer): string {
  if (!mayAct) return "may look";
  return asks ? "may act after a yes" : "may act";
}

async function signOut(name: string): Promise<void> {
  const { length } = unsavedFiles.peek();
  if (length > 0) {
    const answer = await askPerson({
      text: `${length} ${length === 1 ? "file has" : "files have"} unsaved text. This tab can keep it, hidden from others, until ${name} is back or the tab is closed.`,
      choices: { discard: "Discard it and sign out", keep: "Keep it and sign out" },
    });
    if (answer === undefined) return;
    if (answer === "discard") dropAllDrafts();
  }
  forgetToken();
}

function NavIcon({ path }: { path: string }) {
  return (
    <svg class="symbol" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

function View() {
  const here = route.value;
  const title = here.place === "computer" ? "Computer" : titles[here.place];
  useTitle(title);
  switch (here.place) {
    case "computer":
      return <Computer key={here.key} id={here.key} tab={here.tab} />;
    case "activity":
      return <Activity />;
    case "clients":
      return <Clients />;
    case "numbers":
      return <Numbers />;
    case "connect":
      return <Connect />;
    case "settings":
      return <Settings />;
    case "home":
      return fleet.value?.size === 0 ? <Connect isFirst /> : <Home />;
    case "fleet":
      return fleet.value?.size === 0 ? <Connect isFirst /> : <Fleet />;
  }
}
