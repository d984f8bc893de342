#!/usr/bin/env bash
# The container image: packaging/image.sh build | check | push. Needs Docker; push needs a login to the registry.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(node -p 'require("./apps/bridge/package.json").version')
image=$(sed -n 's/^ *image: \(.*\):.*/\1/p' compose.yaml | head -1)

build() {
  docker build --tag "$image:$version" --tag "$image:latest" .
}

# Starts the image as compose.yaml does, and waits until Docker calls it healthy.
check() {
  export MCP_TOKENS=only-for-this-check-of-the-image
  docker compose config --quiet
  MINECRAFT_TOKEN=$MCP_TOKENS EULA=TRUE \
    docker compose -f compose.yaml -f packaging/compose/minecraft.yaml config --quiet
  trap 'docker compose down --volumes' EXIT
  docker compose up --detach --wait --wait-timeout 60
  [ "$(docker compose exec -T bridge id -u)" = 1000 ]
  [ "$(docker run --rm "$image:$version" --version)" = "$version" ]
  docker image inspect "$image:$version" --format '{{.Size}} bytes'
}

case "${1:-}" in
  build) build ;;
  check) check ;;
  push)
    build
    docker push "$image:$version"
    docker push "$image:latest"
    ;;
  *)
    echo "usage: packaging/image.sh build | check | push" >&2
    exit 2
    ;;
esac
