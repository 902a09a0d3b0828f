# Node 24.21.0 on Debian 12, for amd64 and arm64. The digest names both, so that every build begins with the same files.
ARG BASE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

# Files of npm other than the packages stay in this stage.
FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json ./packages/client/
COPY packages/faces/package.json ./packages/faces/
COPY packages/image-files/package.json ./packages/image-files/
COPY packages/psd/package.json ./packages/psd/
COPY packages/url-translators/package.json ./packages/url-translators/
COPY packages/zip-stream/package.json ./packages/zip-stream/
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && sha256sum package-lock.json | head -c 64 > node_modules/.installed-lock
COPY scripts/dashboard.mjs scripts/third-party-notices.ts ./scripts/
COPY scripts/licences ./scripts/licences
COPY src/image/cutout/selfie_segmentation.LICENSE ./src/image/cutout/
COPY packages ./packages
COPY web ./web
# The dashboard is built with development packages, and nothing else needs them. npm would retain some as optional peers of
# better-auth, while they are also development packages. The stamp is for scripts/run.mjs: the locked versions are
# installed. The image has Node 24 itself: the packages that carry one for other processors are not needed. Neither is the client,
# which npm links because it is a workspace, nor files for compilers, debuggers and other processors. Licences stay: the
# notices name all that is delivered, also what is built into the dashboard, and a README stays where a package has its licence there.
RUN node scripts/dashboard.mjs \
  && node scripts/third-party-notices.ts \
  && npm pkg delete devDependencies \
  && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/darkroom-client packages/client \
    node_modules/better-sqlite3/deps node_modules/better-sqlite3/src node_modules/zod/src node_modules/bintrees/test \
    node_modules/fastify/test node_modules/fastify/docs node_modules/libheif-js/libheif \
    node_modules/@hyzyla/pdfium/dist/pdfium.wasm.base64-* \
  && find node_modules/better-sqlite3/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \
    -o -iname 'changelog.md' \) -delete \
  && find node_modules -type f -iname 'readme.md' -exec sh -c 'for file; do \
    ls "$(dirname "$file")" | grep -qiE "^(un)?licen[cs]e|^copying|^notice" && rm "$file"; done; true' sh {} +

# Debian's own packages, up to date: every build has the security updates of that day. Then unused files are removed:
# drivers of graphics cards, which ffmpeg's libraries would load and are not linked to; keyboards, old character sets, collation, time
# zones with leap seconds, serif fonts, manuals; what other programs are compiled with against Node, and its symbols for debuggers.
# dpkg still knows all that is left.
FROM ${BASE} AS system
RUN apt-get update \
  && apt-get upgrade -y \
  && apt-get install -y --no-install-recommends ffmpeg fonts-noto-cjk fonts-noto-color-emoji binutils \
  && strip --strip-unneeded /usr/local/bin/node \
  && apt-get purge -y --autoremove binutils \
  && dpkg --purge --force-depends libgl1-mesa-dri libllvm15 libz3-4 xkb-data shared-mime-info \
  && rm -rf /usr/lib/*/libmfxhw64.so.* /usr/lib/*/mfx /usr/lib/*/gconv /usr/share/fonts/opentype/noto/NotoSerifCJK-* \
    /usr/share/man /usr/share/locale /usr/share/info /usr/share/X11 /usr/share/zoneinfo/right \
    /usr/local/include /usr/local/share/doc /usr/local/share/man \
    /usr/local/lib/node_modules/corepack /usr/local/lib/node_modules/npm/docs /usr/local/lib/node_modules/npm/man /opt/yarn-* \
    /usr/lib/*/libicui18n.so.* /usr/lib/*/libicutu.so.* /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* /tmp/* \
  && find /usr/share/doc -type f ! -name copyright -delete \
  && ffmpeg -version && ffprobe -version && node --version

# One layer of the files that are left: a layer on top of others would only hide what was removed.
FROM scratch
COPY --from=system / /
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/packages ./packages
COPY --from=dependencies /app/THIRD_PARTY_NOTICES ./
COPY package.json package-lock.json .npmrc LICENSE ./
COPY scripts/run.mjs scripts/child.mjs scripts/dashboard.mjs scripts/v8-options.mjs ./scripts/
COPY src ./src
COPY docs ./docs
COPY llms.txt ./
COPY --from=dependencies /app/web/dist ./web/dist

# npm, for `npm run admin`, stores nothing: the container may be read-only.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV NODE_ENV=production DATA_DIR=/data UV_THREADPOOL_SIZE=8 npm_config_cache=/tmp/npm npm_config_logs_max=0
RUN install -d -o node -g node -m 0700 /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=50", "src/main.ts"]
