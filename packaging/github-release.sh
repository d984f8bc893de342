#!/usr/bin/env bash
# Creates the GitHub release of this version, with the bundle for Claude Desktop. Needs gh with a token, after `pnpm build`.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(node -p 'require("./apps/bridge/package.json").version')
bundle=$(node packaging/mcpb/pack.mjs)
# The bridge's changes of this version alone.
notes=$(awk -v version="## $version" '$0 == version { found = 1; next } /^## / { found = 0 } found' apps/bridge/CHANGELOG.md)
gh release create "v$version" --title "ccbridge $version" --notes "$notes" "$bundle"
