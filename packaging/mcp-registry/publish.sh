#!/usr/bin/env bash
# Lists this version in the MCP registry, after the npm package is published: the registry looks for mcpName in it.
# In GitHub Actions the workflow's identity is the login; elsewhere: packaging/mcp-registry/publish.sh github
set -euo pipefail
cd "$(dirname "$0")"

command -v mcp-publisher >/dev/null || {
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  machine=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
  tools=$(mktemp -d)
  curl -fsSL "https://github.com/modelcontextprotocol/registry/releases/latest/download/mcp-publisher_${system}_${machine}.tar.gz" |
    tar xz -C "$tools" mcp-publisher
  PATH=$tools:$PATH
}
mcp-publisher login "${1:-github-oidc}"
mcp-publisher publish
