# Node 24.21.0 on Debian 12, for amd64 and arm64. The digest names both, so that every build begins with the same files; a
# newer one brings the security updates of Debian.
ARG BASE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

# What npm leaves behind besides the packages stays in this stage.
FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json ./client/
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && sha256sum package-lock.json | head -c 64 > node_modules/.installed-lock
COPY scripts/dashboard.mjs ./scripts/
COPY client/src ./client/src
COPY web ./web
# The dashboard is built with development packages, and nothing else needs them. npm would keep some as optional peers of
# better-auth, until nobody wants them as development packages. The stamp tells scripts/run.mjs that the locked versions are
# installed. The image has Node 24 itself: the packages that carry one for other machines are not needed. Neither is the client,
# which npm links because it is a workspace.
RUN node scripts/dashboard.mjs \
  && npm pkg delete devDependencies \
  && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/darkroom-client

FROM ${BASE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg fonts-noto-cjk fonts-noto-color-emoji \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json package-lock.json .npmrc LICENSE ./
COPY scripts/run.mjs scripts/child.mjs scripts/dashboard.mjs scripts/v8-options.mjs ./scripts/
COPY src ./src
COPY --from=dependencies /app/web/dist ./web/dist

# npm, for `npm run admin`, keeps nothing: the container may be read-only.
ENV NODE_ENV=production DATA_DIR=/data UV_THREADPOOL_SIZE=8 npm_config_cache=/tmp/npm npm_config_logs_max=0
RUN install -d -o node -g node -m 0700 /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "src/main.ts"]
