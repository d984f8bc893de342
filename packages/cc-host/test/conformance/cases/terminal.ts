import type { ConformanceCase } from "../case.js";

export const terminal: readonly ConformanceCase[] = [
  {
    name: "paints pixels, lines, boxes and pictures",
    lua: `local w = window.create(term.native(), 1, 1, 8, 5, false)
      local old = term.redirect(w)
      paintutils.drawFilledBox(8, 1, 6, 2, colors.yellow)
      paintutils.drawBox(1, 2, 4, 4, colors.red)
      paintutils.drawLine(1, 5, 8, 5, colors.green)
      paintutils.drawPixel(5, 1, colors.blue)
      paintutils.drawImage(paintutils.parseImage("1 2\\n 3"), 6, 3)
      local left = term.getBackgroundColor()
      term.redirect(old)
      for y = 1, 5 do report((select(3, w.getLine(y)))) end
      report(left == colors.lightBlue, paintutils.loadImage("/no-such-picture"))`,
    lines: ["ffffb444", "eeeef444", "effef1f2", "eeeeff3f", "dddddddd", "true|nil"],
  },
  {
    name: "wraps words, cuts long ones and scrolls",
    lua: `local w = window.create(term.native(), 1, 1, 26, 6, false)
      local old = term.redirect(w)
      local printed, written = print("hello wide world of computers and " .. ("x"):rep(30)), write("a\\nb\\n")
      term.redirect(old)
      report(printed, written)
      for y = 1, 5 do report((w.getLine(y):gsub("%s+$", ""))) end
      term.redirect(w) for i = 1, 9 do print(i) end term.redirect(old)
      report((w.getLine(1):gsub("%s+$", "")), w.getCursorPos())`,
    lines: [
      "3|2",
      "hello wide world of",
      "computers and xxxxxxxxxxxx",
      "xxxxxxxxxxxxxxxxxx",
      "a",
      "b",
      "5|1|6",
    ],
  },
  {
    name: "redirects output globally, and refuses term itself",
    lua: `local w = window.create(term.current(), 1, 1, 10, 3, false)
      local old = term.redirect(w)
      print("hidden text") write("x")
      local size, position = { term.getSize() }, { term.getCursorPos() }
      term.redirect(old)
      report(size[1], size[2], position[1], position[2])
      report(w.getLine(1)) report(w.getLine(2))
      report(pcall(w.getLine, 4))
      report((pcall(term.redirect, term)))
      report(term.current() == old, term.native() ~= nil)
      local partial = { write = function() end }
      term.redirect(partial)
      local ok, err = pcall(term.clear)
      term.redirect(old)
      report(ok, err)`,
    lines: [
      "10|3|2|3",
      "hidden    |0000000000|ffffffffff",
      "text      |0000000000|ffffffffff",
      /^false\|.*Line is out of range\.$/,
      "false",
      "true|true",
      /Redirect object is missing method clear\./,
    ],
  },
  {
    name: "shows, moves and colours windows",
    lua: `local w = window.create(term.native(), 3, 2, 5, 2)
      w.setTextColour(colors.red) w.setBackgroundColour(colors.blue) w.clear() w.write("abcdefg")
      w.setCursorPos(1, 2) w.blit("xy", "01", "23")
      report(w.getPosition()) report(w.getCursorPos())
      w.reposition(1, 1, 4, 3) report(w.getSize()) report(w.getLine(1))
      w.setVisible(false) w.write("hidden") w.setVisible(true)
      w.scroll(1) report(w.getLine(1))
      report(colors.toBlit(colors.black), colors.combine(1, 2), colours.grey == colors.gray)
      report(pcall(w.blit, "a", "00", "0"))
      w.setVisible(false)`,
    lines: [
      "3|2",
      "3|2",
      "4|3",
      "abcd|eeee|bbbb",
      "xyhi|01ee|23bb",
      "f|3|true",
      /^false\|.*Arguments must be the same length$/,
    ],
  },
  {
    name: "prints errors in red, and io through the terminal",
    lua: `local w = window.create(term.native(), 1, 1, 10, 4, false)
      local old = term.redirect(w)
      printError("bad") io.write("x", 1, "\\n") io.stderr:write("err\\n")
      term.redirect(old)
      for y = 1, 3 do report((w.getLine(y):gsub("%s+$", "")), select(2, w.getLine(y)):sub(1, 1)) end
      report(w.isColour())`,
    lines: ["bad|e", "x1|0", "err|e", "true"],
  },
  {
    name: "gives programs a window without getLine from 1.104 on",
    lua: `report(type(term.current().getLine), type(term.native().getLine))`,
    lines: ({ since }) => [since("1.104.0") ? "nil|nil" : "function|nil"],
  },
];
