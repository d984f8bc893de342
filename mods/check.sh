#!/usr/bin/env bash
# Tests the server mods: the core with Maven, then each adapter against its stubs. Says so and succeeds where there is
# no JDK 17 or no Maven. It writes to folders named target only.
set -euo pipefail
cd "$(dirname "$0")"

java_version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p' || true)
if [ "${java_version:-0}" -lt 17 ]; then
  echo "mods: skipped, there is no JDK 17 or newer"
  exit 0
fi
if ! command -v mvn >/dev/null; then
  echo "mods: skipped, there is no Maven"
  exit 0
fi

# All of these programs are short: to optimize them takes longer than it saves.
short=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)
out=$PWD/target/adapters
launcher=$PWD/target/junit-platform-console-standalone-1.12.2.jar

echo "mods: core"
MAVEN_OPTS="${MAVEN_OPTS:-} ${short[*]}" mvn -B -q --no-transfer-progress -f core/pom.xml "-DargLine=${short[*]}" verify \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  -Dartifact=org.junit.platform:junit-platform-console-standalone:1.12.2 "-DoutputDirectory=$PWD/target"

stubs/compile.sh "$out"

adapter() { # name, folders with tests
  local name=$1
  shift
  local classes=$out/core:$out/$name/classes tests=$out/$name/tests
  mkdir -p "$tests" "$out/$name/run"
  find stubs/test/all "$@" core/src/test/java/dev/ccbridge/core/fake -name '*.java' >"$out/$name/test-sources"
  javac "${short[@]/#/-J}" --release 17 -encoding UTF-8 -cp "$classes:$launcher" -d "$tests" "@$out/$name/test-sources"
  echo "mods: $name"
  (cd "$out/$name/run" && java "${short[@]}" "-Dadapter=$name" -jar "$launcher" execute --class-path "$classes:$tests" \
    --scan-class-path "$tests" --disable-banner --details=summary --fail-if-no-tests >"$out/$name/report" 2>&1) || {
    cat "$out/$name/report"
    exit 1
  }
}

for version in 1.21.1 26 1.20.1; do
  adapter "neoforge-$version" stubs/test/mc stubs/test/forge-like
done
adapter fabric stubs/test/mc stubs/test/fabric
adapter paper stubs/test/paper
echo "mods: all good"
