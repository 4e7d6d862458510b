# Rollcall as a container: two builds whose tools stay behind, and a last stage of Node.js, the program and nothing else.
ARG BASE_IMAGE=node:24-bookworm-slim

# No install script runs in any stage: every native package ships its binary, and a script could run anything.
# What it makes is the same for every architecture, so it is built on that of the machine.
FROM --platform=$BUILDPLATFORM ${BASE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
# The page's settings extend it.
COPY tsconfig.json ./
COPY src ./src
COPY jobs ./jobs
COPY scripts/build ./scripts/build
COPY scripts/web ./scripts/web
# The command alone: the library, its declarations and source maps are in the npm package.
RUN node scripts/build/build-program.ts --no-source-maps \
 && node scripts/web/build-page.ts --force

FROM ${BASE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Left out: what only a compiler or an editor reads (node reads no .ts in node_modules), and the binaries of other systems.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
 && find node_modules/better-sqlite3/prebuilds -type f ! -name "linux*-$(node -p process.arch).node" -exec rm -f {} + \
 && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsx' \) -exec rm -f {} +

FROM ${BASE_IMAGE} AS rollcall
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Rollcall" \
      org.opencontainers.image.description="Keeps a workplace platform's users equal to the HR system's employees: on a schedule, safely, and explainably." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# One malloc arena for all threads: with one for each, a plan of 100,000 people takes 28 MB more (docs/capacity.md).
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    ROLLCALL_CONFIG=/data/rollcall.yaml
COPY --from=packages /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY package.json LICENSE /app/
# /data holds rollcall.yaml; /data/.rollcall is what must be kept, or with PostgreSQL only files on their way.
# And a name for the hand: kubectl exec deploy/rollcall -- rollcall runs
# Without the package managers of the base: nothing is installed in a container, and their packages have flaws of their own.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-v* \
 && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && mkdir -p /data/.rollcall && chown -R 1000:1000 /data && chmod 700 /data/.rollcall \
 && printf '#!/bin/sh\nexec node --max-semi-space-size=8 --max-old-space-size=1024 /app/dist/src/main/cli.js "$@"\n' > /usr/local/bin/rollcall \
 && chmod 755 /usr/local/bin/rollcall \
 && mkdir /app/compiled && chown 1000:1000 /app/compiled
WORKDIR /data
USER 1000:1000
# Keeps what V8 compiles for each command, of which a read-only container would keep nothing. No file is there: exit code 2.
ENV NODE_COMPILE_CACHE=/app/compiled
RUN rollcall status || [ $? = 2 ]
USER 0
RUN chown -R 0:0 /app/compiled && chmod -R a+rX /app/compiled
USER 1000:1000
VOLUME /data/.rollcall
# What server.port says by default.
EXPOSE 8080
# Unwell is a process that listens and says so, or does not answer. One without "server:" listens nowhere and is not asked.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz', { signal: AbortSignal.timeout(5000) }).then((answer) => process.exit(answer.ok ? 0 : 1), (error) => process.exit(error.cause?.code === 'ECONNREFUSED' ? 0 : 1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--max-old-space-size=1024", "/app/dist/src/main/cli.js"]
CMD ["start"]
