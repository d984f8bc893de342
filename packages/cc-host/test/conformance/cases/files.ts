import type { ConformanceCase } from "../case.js";

export const files: readonly ConformanceCase[] = [
  {
    name: "answers with the game's errors",
    lua: `report(fs.open("/none", "r")) report(fs.open("/rom/x", "w")) report(fs.open("/rom", "r"))
      fs.makeDir("/d") report(fs.open("/d", "w")) report(pcall(fs.open, "/x", "rw"))
      report(pcall(fs.list, "/none")) report(pcall(fs.delete, "/rom/programs")) report(pcall(fs.delete, "/none"))
      local f = fs.open("/a", "w") f.close() fs.copy("/a", "/b")
      report(pcall(fs.move, "/a", "/b")) report(pcall(fs.makeDir, "/a")) report(pcall(fs.getSize, "/none"))
      report(pcall(fs.open, "../x", "r")) report(fs.exists("../x"), fs.isDir(".."))
      report(pcall(fs.open, nil, "r"))`,
    lines: ({ since, emulator }) => [
      "nil|/none: No such file",
      "nil|/rom/x: Access denied",
      since("1.108.4") ? "nil|/rom: Not a file" : "nil|/rom: No such file",
      "nil|/d: Cannot write to directory",
      /^false\|.*Unsupported mode$/,
      since("1.108.4") ? /^false\|.*\/none: No such file$/ : /^false\|.*\/none: Not a directory$/,
      /^false\|.*\/rom\/programs: Access denied$/,
      "true",
      /^false\|([^|]*: )?File exists$/,
      /^false\|.*\/a: File exists$/,
      /^false\|.*\/none: No such file$/,
      emulator ? "true|nil|/../x: No such file" : "true|nil|/../x: Invalid Path",
      "false|false",
      /bad argument #1/,
    ],
  },
  {
    name: "takes a missing path in a folder for the root of a drive",
    lua: `fs.makeDir("/d") report(fs.isDriveRoot("/"), fs.isDriveRoot("/rom"), fs.isDriveRoot("/d"))
      report(fs.isDriveRoot("/none"), fs.isDriveRoot("/d/none"), fs.isDriveRoot("/none/none"))`,
    lines: ({ emulator }) => [
      "true|true|false",
      emulator ? "false|false|false" : "true|true|false",
    ],
  },
  {
    name: "reads and writes in every mode",
    lua: `local f = fs.open("/t", "w") f.write("one\\r\\ntwo\\n") f.writeLine("three") f.close()
      f = fs.open("/t", "a") f.write(4) f.close()
      f = fs.open("/t", "r")
      report(f.readLine(), f.readLine(true):byte(-1), f.read(2), (f.readAll():gsub("\\n", "/")))
      report(f.readLine()) f.close()
      report(pcall(f.read))
      f = fs.open("/b", "wb") f.write(0) f.write("\\255\\10") f.close()
      f = fs.open("/b", "rb") report(f.read(), f.read(), f.seek("set", 1), f.read(5):byte(1, -1)) f.close()
      local a = fs.attributes("/b")
      report(a.size, a.isDir, a.isReadOnly, a.modified > 1.6e12, fs.attributes("/rom").isReadOnly)
      fs.delete("/b") fs.delete("/t")`,
    lines: ({ since }) => [
      since("1.109.0") ? "one|10|th|ree/4" : "one|10|th|ree/4.0",
      "",
      /^false\|.*attempt to use a closed file$/,
      "0|255|1|255|10",
      "3|false|false|true|true",
    ],
  },
  {
    name: "returns an empty text or no value at the end of a file",
    lua: `fs.open("/x", "w").close()
      local f = fs.open("/x", "r") report(f.readAll()) report(f.readAll()) f.close()
      f = fs.open("/x", "r") report(f.readLine()) report(f.read()) f.close()
      f = fs.open("/x", "rb") report(f.readAll()) report(f.readAll()) report(f.read()) f.close()
      fs.delete("/x")`,
    lines: ["", "", "", "", "", "", ""],
  },
  {
    name: "knows r+ and w+ only from 1.109 on, and transcodes text before",
    lua: `report((pcall(fs.open, "/x", "w+")))
      local f = fs.open("/x", "w") f.write("\\233") f.close()
      local r, b = fs.open("/x", "r"), fs.open("/x", "rb")
      report(fs.getSize("/x"), #r.readAll(), #b.readAll())
      r.close() b.close() fs.delete("/x")`,
    lines: ({ since }) => (since("1.109.0") ? ["true", "1|1|1"] : ["false", "2|1|2"]),
  },
  {
    name: "cleans paths and finds by wildcard",
    lua: `report(fs.combine("/a/../b//c", "./d", "/e"), fs.combine("", ".."), fs.getName("/a/b.c"), fs.getDir("a/b"), fs.getDir("a"))
      fs.open("/weird", "w").close()
      report(table.concat(fs.find("/we*"), " "), fs.exists("/weird"), fs.getDrive("/rom"), fs.getDrive("/"))
      fs.delete("/weird")`,
    lines: ["b/c/d/e|..|b.c|a|", "weird|true|rom|hdd"],
  },
  {
    name: "holds at most 128 open files",
    lua: `local handles = {}
      fs.open("/x", "w").close()
      local ok, err
      repeat
        ok, err = fs.open("/x", "r")
        if ok then handles[#handles + 1] = ok end
      until not ok or #handles > 200
      for _, handle in ipairs(handles) do handle.close() end
      fs.delete("/x")
      report(#handles > 100 and #handles <= 128, tostring(err):match("Too many files already open"))`,
    lines: ["true|Too many files already open"],
    notInEmulator: "it opens more",
  },
  {
    name: "fills up with an error, and has room again afterwards",
    lua: `local f = fs.open("/big", "w")
      local ok, problem
      for i = 1, 2000 do
        ok, problem = pcall(f.write, ("x"):rep(1000))
        if ok then ok, problem = pcall(f.flush) end
        if not ok then break end
      end
      pcall(f.close)
      local size = fs.getSize("/big")
      fs.delete("/big")
      report(ok, problem)
      report(size > 500000, size <= fs.getCapacity("/"))
      local again = fs.open("/again", "w") again.write("x") again.close()
      report(fs.getSize("/again")) fs.delete("/again")`,
    lines: [/^false\|.*Out of space$/, "true|true", "1"],
    notInEmulator: "it keeps no quota",
  },
];
