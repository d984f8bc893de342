// What an AI may do with the board.
import { connect } from "@ccbridge/pages";
import * as board from "./board.js";

const letters =
  "letters: . black, w white, o orange, m magenta, b light blue, y yellow, l lime, p pink, g grey, s light grey, c cyan, v purple, n blue, t brown, e green, r red";

board.showBanner();

// A bridge elsewhere can be given as ?bridge=ws://..., a private session as ?session=...
const query = new URLSearchParams(location.search);
const page = connect({
  url: query.get("bridge") ?? "ws://127.0.0.1:8765",
  name: "Notice board",
  ...(query.has("session") && { session: query.get("session") }),
  onState(state, reason) {
    const text = state === "connected" ? "An AI can see this board" : "Looking for the bridge ...";
    board.showState(state, reason ?? text);
  },
});

page.tool({
  name: "read_board",
  title: "Read the board",
  annotations: { readOnlyHint: true },
  description:
    "Reads the notice board that the person has open: its title, the tasks and the banner.",
  run: () => board.read(),
});

page.tool({
  name: "set_board_title",
  title: "Change the title",
  description: "Changes the title at the top of the notice board.",
  input: { title: { type: "string", description: "the new title", minLength: 1, maxLength: 60 } },
  run({ title }) {
    board.setTitle(title);
    board.log(`Changed the title to "${title}".`);
    return `The board is called "${title}" now.`;
  },
});

page.tool({
  name: "add_board_task",
  title: "Add a task",
  description: "Adds a task to the list of things to do on the notice board.",
  input: {
    text: { type: "string", description: "what is to be done", minLength: 1, maxLength: 200 },
  },
  run({ text }) {
    const number = board.addTask(text);
    board.log(`Added task ${number}: ${text}`);
    return `Added as task ${number}.`;
  },
});

page.tool({
  name: "finish_board_task",
  title: "Finish a task",
  description: "Marks a task on the notice board as done.",
  input: { number: { type: "integer", description: "which task, counted from 1", minimum: 1 } },
  run({ number }) {
    const text = board.finishTask(number);
    board.log(`Finished task ${number}: ${text}`);
    return `Task ${number} is done: ${text}`;
  },
});

page.tool({
  name: "paint_board_banner",
  title: "Paint the banner",
  description: `Paints the banner on the notice board, 16 by 16 pixels. One letter is one pixel; ${letters}.`,
  input: {
    rows: {
      type: "array",
      description: "16 texts of 16 letters, from top to bottom",
      minItems: 16,
      maxItems: 16,
      items: { type: "string", pattern: "^[.wombylpgscvnter]{16}$" },
    },
  },
  run({ rows }) {
    board.paint(rows);
    board.log("Painted the banner.");
    return "The banner is painted. Look at it with see_board_banner.";
  },
});

page.tool({
  name: "see_board_banner",
  title: "Look at the banner",
  annotations: { readOnlyHint: true },
  description: "Gives a picture of the banner on the notice board.",
  run: () => board.picture(),
});
