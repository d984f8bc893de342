import { type HostFunctions, LuaError, Results } from "./vm/lua-vm.js";

const HEX = "0123456789abcdef";
const WHITE = "0";
const BLACK = "f";
const NATIVE_PALETTE = [
  0xf0f0f0, 0xf2b233, 0xe57fd8, 0x99b2f2, 0xdede6c, 0x7fcc19, 0xf2b2cc, 0x4c4c4c, 0x999999,
  0x4c99b2, 0xb266e5, 0x3366cc, 0x7f664c, 0x57a64e, 0xcc4c4c, 0x111111,
];

interface Line {
  text: string;
  foreground: string;
  background: string;
}

export type ScreenLine = Readonly<Line>;

function splice(line: string, at: number, part: string): string {
  const start = Math.max(at, 0);
  const end = Math.min(at + part.length, line.length);
  if (start >= end) return line;
  return line.slice(0, start) + part.slice(start - at, end - at) + line.slice(end);
}

export class Terminal {
  readonly width: number;
  readonly height: number;
  readonly colour: boolean;
  #lines: Line[];
  #x = 0;
  #y = 0;
  #blink = false;
  #foreground = WHITE;
  #background = BLACK;
  #palette = [...NATIVE_PALETTE];
  #scrolledOff: string[] = [];

  constructor(width: number, height: number, colour: boolean) {
    this.width = width;
    this.height = height;
    this.colour = colour;
    this.#lines = Array.from({ length: height }, () => this.#blank());
  }

  lines(): string[] {
    return this.#lines.map((line) => line.text.trimEnd());
  }

  text(): string {
    return this.lines().join("\n").trimEnd();
  }

  transcript(): string {
    return [...this.#scrolledOff, ...this.lines()].join("\n").trimEnd();
  }

  line(y: number): ScreenLine {
    const line = this.#lines[y - 1];
    if (line === undefined) throw new RangeError(`no line ${y}`);
    return { ...line };
  }

  get cursor(): { readonly x: number; readonly y: number; readonly blink: boolean } {
    return { x: this.#x + 1, y: this.#y + 1, blink: this.#blink };
  }

  reset(): void {
    this.#foreground = WHITE;
    this.#background = BLACK;
    this.#lines = Array.from({ length: this.height }, () => this.#blank());
    this.#x = 0;
    this.#y = 0;
    this.#blink = false;
    this.#palette = [...NATIVE_PALETTE];
    this.#scrolledOff = [];
  }

  showCrash(reason: string): void {
    const lines = ["Error running computer", reason, "ComputerCraft may be installed incorrectly"];
    this.reset();
    lines.slice(0, this.height).forEach((text, index) => {
      const line = this.#lines[index] as Line;
      line.text = splice(line.text, 0, text.slice(0, this.width));
      line.foreground = "e".repeat(this.width);
    });
    this.#y = lines.length;
  }

  hostFunctions(): HostFunctions {
    const setText = (colour: unknown) => {
      this.#foreground = this.#digit(colour);
    };
    const setBackground = (colour: unknown) => {
      this.#background = this.#digit(colour);
    };
    const colourOf = (digit: string) => 2 ** HEX.indexOf(digit);
    const palette = (colours: readonly number[]) => (colour: unknown) => {
      const rgb = colours[HEX.indexOf(this.#digit(colour))] as number;
      return new Results((rgb >> 16) / 255, ((rgb >> 8) & 0xff) / 255, (rgb & 0xff) / 255);
    };
    const setPalette = (colour: unknown, r: unknown, g: unknown, b: unknown) => {
      const byte = (part: unknown) => Math.max(0, Math.min(255, Math.floor(Number(part) * 255)));
      const index = HEX.indexOf(this.#digit(colour));
      this.#palette[index] =
        g === undefined ? Number(r) & 0xffffff : (byte(r) << 16) | (byte(g) << 8) | byte(b);
    };
    const functions: HostFunctions = {
      write: (text) => this.#put(String(text), this.#foreground, this.#background),
      blit: (text, foreground, background) => this.#blit(text, foreground, background),
      scroll: (count) => this.#scroll(Math.trunc(integer(count))),
      getCursorPos: () => new Results(this.#x + 1, this.#y + 1),
      setCursorPos: (x, y) => {
        this.#x = Math.trunc(integer(x)) - 1;
        this.#y = Math.trunc(integer(y, 2)) - 1;
      },
      getCursorBlink: () => this.#blink,
      setCursorBlink: (blink) => {
        this.#blink = blink === true;
      },
      getSize: () => new Results(this.width, this.height),
      clear: () => {
        this.#lines = Array.from({ length: this.height }, () => this.#blank());
      },
      clearLine: () => {
        if (this.#lines[this.#y] !== undefined) this.#lines[this.#y] = this.#blank();
      },
    };
    for (const spelling of ["Colour", "Color"]) {
      Object.assign(functions, {
        [`is${spelling}`]: () => this.colour,
        [`getText${spelling}`]: () => colourOf(this.#foreground),
        [`setText${spelling}`]: setText,
        [`getBackground${spelling}`]: () => colourOf(this.#background),
        [`setBackground${spelling}`]: setBackground,
        [`setPalette${spelling}`]: setPalette,
        [`getPalette${spelling}`]: (colour: unknown) => palette(this.#palette)(colour),
        [`nativePalette${spelling}`]: palette(NATIVE_PALETTE),
      });
    }
    return Object.fromEntries(
      Object.entries(functions).map(([name, fn]) => [`term.${name}`, fn]),
    ) as HostFunctions;
  }

  #blank(): Line {
    return {
      text: " ".repeat(this.width),
      foreground: this.#foreground.repeat(this.width),
      background: this.#background.repeat(this.width),
    };
  }

  #digit(colour: unknown): string {
    const index = Math.log2(integer(colour));
    const digit = Number.isInteger(index) ? HEX[index] : undefined;
    if (digit === undefined) throw new LuaError("Colour out of range");
    return digit;
  }

  #put(text: string, foreground: string, background: string): void {
    const line = this.#lines[this.#y];
    if (line !== undefined) {
      const colours = (digit: string) => (digit.length === 1 ? digit.repeat(text.length) : digit);
      // Control characters show as one blank cell.
      line.text = splice(line.text, this.#x, text.replace(/[\n\r\t]/g, " "));
      line.foreground = splice(line.foreground, this.#x, colours(foreground));
      line.background = splice(line.background, this.#x, colours(background));
    }
    this.#x += text.length;
  }

  #blit(text: unknown, foreground: unknown, background: unknown): void {
    const [characters, fg, bg] = [text, foreground, background].map((part, index) => {
      if (typeof part === "string") return part;
      throw new LuaError(`bad argument #${index + 1} (string expected, got ${luaType(part)})`);
    }) as [string, string, string];
    if (fg.length !== characters.length || bg.length !== characters.length) {
      throw new LuaError("Arguments must be the same length");
    }
    this.#put(characters, fg.toLowerCase(), bg.toLowerCase());
  }

  #scroll(count: number): void {
    const gone = this.#lines.slice(0, Math.max(0, count)).map((line) => line.text.trimEnd());
    this.#scrolledOff.push(...gone);
    if (this.#scrolledOff.length > 5_000) this.#scrolledOff.splice(0, 1_000);
    this.#lines = Array.from(
      { length: this.height },
      (_, row) => this.#lines[row + count] ?? this.#blank(),
    );
  }
}

function luaType(value: unknown): string {
  return value === undefined ? "nil" : typeof value;
}

function integer(value: unknown, index = 1): number {
  if (typeof value !== "number") {
    throw new LuaError(`bad argument #${index} (number expected, got ${luaType(value)})`);
  }
  return value;
}
