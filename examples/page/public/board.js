// The board itself, without any AI: a person's buttons could call the same functions.

/** @typedef {{ text: string, done: boolean }} Task */

const SIDE = 16;
const MAX_TASKS = 50;

/** The sixteen dyes of the game, by their letter in a picture. */
const colours = new Map([
  [".", "#1d1d21"],
  ["w", "#f9fffe"],
  ["o", "#f9801d"],
  ["m", "#c74ebd"],
  ["b", "#3ab3da"],
  ["y", "#fed83d"],
  ["l", "#80c71f"],
  ["p", "#f38baa"],
  ["g", "#474f52"],
  ["s", "#9d9d97"],
  ["c", "#169c9c"],
  ["v", "#8932b8"],
  ["n", "#3c44aa"],
  ["t", "#835432"],
  ["e", "#5e7c16"],
  ["r", "#b02e26"],
]);

/** @type {Task[]} */
const tasks = [];
let rows = Array.from({ length: SIDE }, () => "g".repeat(SIDE));

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element #${id}.`);
  return found;
}

export function read() {
  return { title: element("title").textContent, tasks, banner: rows };
}

/** @param {string} title */
export function setTitle(title) {
  element("title").textContent = title;
  document.title = title;
}

/** @param {string} text */
export function addTask(text) {
  if (tasks.length >= MAX_TASKS) throw new Error(`The board is full: it holds ${MAX_TASKS} tasks.`);
  tasks.push({ text, done: false });
  showTasks();
  return tasks.length;
}

/** @param {number} number */
export function finishTask(number) {
  const task = tasks[number - 1];
  if (task === undefined) {
    throw new Error(`There is no task ${number}: the board has ${tasks.length}.`);
  }
  task.done = true;
  showTasks();
  return task.text;
}

function showTasks() {
  element("tasks").replaceChildren(
    ...tasks.map(({ text, done }) => {
      const item = document.createElement("li");
      item.textContent = text;
      item.classList.toggle("done", done);
      return item;
    }),
  );
}

/** @param {unknown[]} picture */
export function paint(picture) {
  const fits = picture.length === SIDE && picture.every(isRow);
  if (!fits) {
    throw new Error(
      `The banner takes ${SIDE} rows of ${SIDE} letters, each one of ${[...colours.keys()].join(" ")}`,
    );
  }
  rows = /** @type {string[]} */ (picture);
  showBanner();
}

/** @param {unknown} row */
function isRow(row) {
  return (
    typeof row === "string" &&
    row.length === SIDE &&
    [...row].every((letter) => colours.has(letter))
  );
}

function canvas() {
  return /** @type {HTMLCanvasElement} */ (element("banner"));
}

export function showBanner() {
  const context = canvas().getContext("2d");
  if (context === null) return;
  for (const [y, row] of rows.entries()) {
    for (const [x, letter] of [...row].entries()) {
      context.fillStyle = colours.get(letter) ?? "#000";
      context.fillRect(x, y, 1, 1);
    }
  }
}

/** Enlarged, so that a model can see it. */
export function picture() {
  const large = document.createElement("canvas");
  large.width = large.height = SIDE * 16;
  const context = large.getContext("2d");
  if (context === null) throw new Error("This browser cannot draw.");
  context.imageSmoothingEnabled = false;
  context.drawImage(canvas(), 0, 0, large.width, large.height);
  return new Promise((resolve) => large.toBlob(resolve, "image/png"));
}

/** @param {string} text */
export function log(text) {
  const entry = document.createElement("li");
  entry.textContent = `${new Date().toLocaleTimeString()}  ${text}`;
  element("log").prepend(entry);
}

/**
 * @param {string} state
 * @param {string} text
 */
export function showState(state, text) {
  element("state").dataset.state = state;
  element("state").textContent = text;
}
