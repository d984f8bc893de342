import { render } from "preact";
import { App } from "./app.js";
import { guardDrafts } from "./editor/drafts.js";
import { followFleet } from "./fleet.js";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/fleet.css";
import "./styles/computer.css";
import "./screen/terminal.css";
import "./styles/activity.css";
import { followWaiting } from "./waiting.js";
import { connect } from "./wire/connection.js";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
guardDrafts();
followFleet();
followWaiting();
connect();
