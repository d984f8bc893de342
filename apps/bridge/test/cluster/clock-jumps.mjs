// Loaded into a bridge before it starts: its clock jumps an hour ahead at the first SIGUSR2, to an hour back at the
// second, and is right again at the third.
const RealDate = Date;
const hour = 3_600_000;
const shifts = [hour, -hour, 0];
let shift = 0;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...args);
  }

  static now() {
    return RealDate.now() + shift;
  }
};

process.on("SIGUSR2", () => {
  shift = shifts.shift() ?? 0;
});
