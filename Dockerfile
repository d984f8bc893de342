# The bridge, its agent for Minecraft servers and its dashboard, in one image: docs/hosting.md, "Containers".
FROM node:24-alpine AS build
WORKDIR /src
COPY . .
RUN npx -y pnpm@10.34.9 install --frozen-lockfile \
  && npx -y pnpm@10.34.9 build \
  && npx -y pnpm@10.34.9 --filter ccbridge --prod --legacy deploy ../app \
  && mkdir ../data

FROM node:24-alpine
LABEL org.opencontainers.image.title="ccbridge" \
  org.opencontainers.image.source="https://github.com/ccbridge/ccbridge" \
  org.opencontainers.image.licenses="MIT"
# Approved computers and history are kept below the home folder.
ENV NODE_ENV=production HOME=/data
COPY --from=build /app /app
COPY --from=build --chown=1000:1000 /data /data
# The user node, by number: some hosts know only those.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MCP_PORT || 3000}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/ccbridge.js"]
