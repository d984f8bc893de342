/**
 * Lua's pattern matcher runs in C, where no hook fires: a pathological pattern would block the test
 * process forever. The game's matcher checks the time limit. This patches the compiled matcher to
 * do the same: a call into the module's function table as its first instruction.
 */

const SECTION = { type: 1, table: 4, code: 10, data: 11 } as const;
const LANDMARK = "pattern too complex";
const FUNCTION_TYPE = 0x60;
const I32 = 0x7f;
const OP = { localGet: 0x20, i32Const: 0x41, callIndirect: 0x11, end: 0x0b } as const;

interface Section {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

class Reader {
  constructor(
    readonly bytes: Buffer,
    public at: number,
  ) {}

  byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  slice(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 of a non-negative number: the sign bit of the last byte must be clear. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}

function sections(module: Buffer): Section[] {
  const reader = new Reader(module, 8);
  const found: Section[] = [];
  while (reader.at < module.length) {
    const id = reader.byte();
    const length = reader.number();
    found.push({ id, start: reader.at, end: reader.at + length });
    reader.at += length;
  }
  return found;
}

function open(module: Buffer, id: number): { reader: Reader; count: number; section: Section } {
  const section = sections(module).find((each) => each.id === id);
  if (section === undefined) throw new Error(`the Lua module has no section ${id}`);
  const reader = new Reader(module, section.start);
  return { reader, count: reader.number(), section };
}

function callbackType(module: Buffer): number {
  const { reader, count } = open(module, SECTION.type);
  for (let index = 0; index < count; index++) {
    if (reader.byte() !== FUNCTION_TYPE) break;
    const params = reader.slice(reader.number());
    const results = reader.slice(reader.number());
    if (params.length === 1 && params[0] === I32 && results.length === 0) return index;
  }
  throw new Error("the Lua module has no function type for the callback");
}

function tableSize(module: Buffer): number {
  const { reader } = open(module, SECTION.table);
  reader.slice(2);
  return reader.number();
}

function landmarkAddress(module: Buffer): number {
  const { reader, count } = open(module, SECTION.data);
  for (let index = 0; index < count; index++) {
    if (reader.number() !== 0 || reader.byte() !== OP.i32Const) break;
    const address = reader.number();
    if (reader.byte() !== OP.end) break;
    const offset = reader.slice(reader.number()).indexOf(LANDMARK);
    if (offset !== -1) return address + offset;
  }
  throw new Error("the Lua module has no pattern matcher");
}

function skipLocals(body: Buffer): number {
  const reader = new Reader(body, 0);
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number();
    reader.byte();
  }
  return reader.at;
}

function patchedCode(module: Buffer, call: readonly number[]): Buffer {
  const { reader, count } = open(module, SECTION.code);
  const mark = Buffer.from([OP.i32Const, ...signed(landmarkAddress(module))]);
  const out: Buffer[] = [Buffer.from(unsigned(count))];
  let patched = 0;
  for (let index = 0; index < count; index++) {
    let body = reader.slice(reader.number());
    if (body.includes(mark)) {
      const start = skipLocals(body);
      body = Buffer.concat([body.subarray(0, start), Buffer.from(call), body.subarray(start)]);
      patched++;
    }
    out.push(Buffer.from(unsigned(body.length)), body);
  }
  if (patched !== 1) throw new Error(`the Lua module has ${patched} pattern matchers`);
  return Buffer.concat(out);
}

/** The caller must put the callback at `callbackIndex` of the function table: the first free index. */
export function interruptible(module: Buffer): { module: Buffer; callbackIndex: number } {
  const callbackIndex = tableSize(module);
  const code = patchedCode(module, [
    ...[OP.localGet, 0],
    ...[OP.i32Const, ...signed(callbackIndex)],
    ...[OP.callIndirect, ...unsigned(callbackType(module)), 0],
  ]);
  const { section } = open(module, SECTION.code);
  const lengthBytes = unsigned(section.end - section.start).length;
  const patched = Buffer.concat([
    module.subarray(0, section.start - lengthBytes),
    Buffer.from(unsigned(code.length)),
    code,
    module.subarray(section.end),
  ]);
  return { module: patched, callbackIndex };
}
