/**
 * What is often written in the program, found by counting. A list that fits the program less well makes it larger, and
 * nothing else.
 */
const PHRASES: readonly string[] = [
  "\nend\n\n\nlocal function ",
  ")\nend\n\nlocal function ",
  "\nend\n\nlocal function ",
  "local a=...local b=a(",
  "\n\nlocal function ",
  "\nlocal function ",
  ")\nend\n\nfunction ",
  "\nend\n\nfunction ",
  ')=="table"and ',
  "\nend\n\nreturn{",
  " then return ",
  "string.match(",
  "table.concat(",
  "table.unpack(",
  ")\nlocal c=a(",
  ")\nlocal d=a(",
  "mcp-computer",
  'return nil,"',
  "string.find(",
  "string.gsub(",
  "then return ",
  " end\nlocal ",
  " in ipairs(",
  ")end\nlocal ",
  "end\nreturn ",
  "local a=...",
  "string.sub(",
  "then\nlocal ",
  ")\nend\nend\n",
  ")do\nlocal ",
  ')~="string',
  ".scheduler",
  "end\nlocal ",
  "peripheral",
  "\nend\nend\n",
  "()\nlocal ",
  ")\n\nlocal ",
  ")\nif not ",
  ")\nreturn ",
  ")end\nend\n",
  ')~="table',
  "function ",
  "function(",
  "math.max(",
  "math.min(",
  "tonumber(",
  "tostring(",
  "websocket",
  "\n\nlocal ",
  ")\nlocal ",
  "={}\nfor ",
  "computer",
  "coroutin",
  "end,\n},\n",
  "must be ",
  "redstone",
  "seconds(",
  "\nlocal ",
  ")do\nif ",
  ".cancel",
  ".server",
  "=pcall(",
  "=true,\n",
  "N.state",
  "bridge ",
  "elseif ",
  "encode(",
  "exists(",
  "if not ",
  'print("',
  "program",
  "remedy=",
  "return ",
  "return{",
  "setting",
  "version",
  " then\n",
  " then ",
  ")\nend\n",
  ")\nfor ",
  ".clear",
  ".close",
  ".repor",
  "Colour",
  "Cursor",
  "alette",
  "bridge",
  "colour",
  "descri",
  "error(",
  "ground",
  "local ",
  "needs ",
  "number",
  "pairs(",
  "pcall(",
  "proble",
  "return",
  "server",
  "string",
  "turtle",
  "while ",
  "\nend\n",
  " and ",
  ' and"',
  " end\n",
  ")\nend",
  ")\nif ",
  ")end\n",
  "array",
  "else\n",
  "false",
  "promp",
  "secre",
  "share",
  "table",
  "then\n",
  "then ",
  "this ",
  "token",
  "true ",
  "type(",
  '},\n{"',
  "~=nil",
  "\nif ",
  ' "..',
  " in ",
  " is ",
  " or ",
  '",\n"',
  ")do\n",
  "+1]=",
  ".get",
  "={},",
  "and ",
  "dele",
  "end\n",
  "file",
  "for ",
  "link",
  "math",
  "name",
  "not ",
  "shel",
  "star",
  "the ",
  "true",
  "vent",
  " do",
  '",\n',
  '","',
  '"..',
  "()\n",
  ",\n}",
  '.."',
  ".re",
  '=="',
  "=a(",
  "={\n",
  "end",
  "fs.",
  "if ",
  "ing",
  "mov",
  "new",
  "nil",
  "or ",
  'or"',
  "rea",
  "run",
  "ter",
  "tex",
];

/** Written seldom, so that they can stand for phrases: alone, or before another character. */
const ALONE = [..."!&|@$;"];
const BEFORE = [..."`?"];
const SELDOM = [...ALONE, ...BEFORE];

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
const AFTER = PRINTABLE.filter((character) => !SELDOM.includes(character));
const CODES = [...ALONE, ...BEFORE.flatMap((first) => AFTER.map((second) => first + second))];

/** Longer ones first: they may contain shorter ones. */
const REPLACED = [...PHRASES, ...SELDOM].sort((a, b) => b.length - a.length);
if (REPLACED.length > CODES.length) throw new Error(`more than ${CODES.length} phrases`);

export interface PackedTexts {
  /** Lua: a table of phrases by their codes. */
  readonly phrases: string;
  readonly texts: readonly string[];
}

/** Lua that unpacks the text in `text`, with such a table in `phrases`. What the first step writes has no codes. */
export const UNPACK = `text:gsub("[${ALONE.join("")}]",phrases):gsub("[${BEFORE.join("")}].",phrases)`;

/** Writes codes for phrases. Those that are written most often have the shortest ones. */
export function packTexts(texts: readonly string[]): PackedTexts {
  const places = REPLACED.map((_, index) => String.fromCharCode(0xe000 + index));
  let all = texts.join("\0");
  REPLACED.forEach((phrase, index) => {
    all = all.replaceAll(phrase, places[index] as string);
  });
  const uses = new Map(places.map((place) => [place, 0]));
  for (const character of all) {
    const count = uses.get(character);
    if (count !== undefined) uses.set(character, count + 1);
  }
  // A character that is seldom written never stands for itself: the last codes are for those.
  const weight = (index: number) =>
    SELDOM.includes(REPLACED[index] as string) ? -1 : (uses.get(places[index] as string) ?? 0);
  const order = REPLACED.map((_, index) => index).sort((a, b) => weight(b) - weight(a));
  const codes = new Map(order.map((at, index) => [places[at], CODES[index]]));
  const entries = order.map((at, index) => `[${quoted(CODES[index])}]=${quoted(REPLACED[at])}`);
  return {
    phrases: `{${entries.join(",")}}`,
    texts: all.replace(/[\ue000-\uf8ff]/g, (place) => codes.get(place) ?? place).split("\0"),
  };
}

function quoted(text: string | undefined): string {
  return JSON.stringify(text);
}
