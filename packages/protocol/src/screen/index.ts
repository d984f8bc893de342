export { isTypable, toUnicode } from "./charset.js";
export { CELL_HEIGHT, CELL_WIDTH, type Glyph, glyphOf } from "./font.js";
export { monitorOf, monitorScreen } from "./monitor.js";
export { paletteOf } from "./palette.js";
export { JOB_META_KEY, SCREEN_VIEW_URI, type ScreenView } from "./view.js";
