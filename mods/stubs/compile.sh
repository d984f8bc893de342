#!/usr/bin/env bash
# Compiles each adapter against its stubs: mods/stubs/compile.sh <folder for the classes>
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
# As in check.sh.
short=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)

rm -rf "${out:?}"
mkdir -p "$out/core" "$out/tool"
find core/src/main/java stubs/answers -name '*.java' >"$out/core-sources"
javac "${short[@]/#/-J}" --release 17 -encoding UTF-8 -d "$out/core" "@$out/core-sources"
javac "${short[@]/#/-J}" --release 17 -encoding UTF-8 -d "$out/tool" stubs/Stubs.java

compile() { # name tags sources...
  local name=$1 tags=$2
  shift 2
  mkdir -p "$out/$name/stubs" "$out/$name/classes"
  java "${short[@]}" -cp "$out/tool" Stubs stubs/table.tsv "$out/$name/stubs" "$tags"
  find "$out/$name/stubs" "$@" -name '*.java' >"$out/$name/sources"
  javac "${short[@]/#/-J}" --release 17 -encoding UTF-8 -Xlint:all,-processing,-serial,-static -cp "$out/core" -d "$out/$name/classes" "@$out/$name/sources"
  echo "compiled $name"
}

compile neoforge-1.21.1 mc,mc1211,neo,neo1211 minecraft/src/common minecraft/src/v1_21_1 neoforge/src/main neoforge/src/v1_21_1
compile neoforge-26 mc,mc26,neo,neo26 minecraft/src/common minecraft/src/v26 neoforge/src/main neoforge/src/v26
compile neoforge-1.20.1 mc,mc1201,forge minecraft/src/common minecraft/src/v1_20_1 neoforge/src/v1_20_1
compile fabric mc,mc26,fabric minecraft/src/common minecraft/src/v26 fabric/src/main
compile paper paper paper/src/main
