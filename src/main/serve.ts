import type { AppIo, Role } from '../app/app-io.ts';
import type { Config } from '../config/config.ts';
import type { ServerConfig } from '../config/sections/server.ts';
import { describeError } from '../core/run/errors.ts';
import { readVersion } from '../drivers/http/version.ts';
import type { RunningServer, Vitals } from '../server/server-parts.ts';
import type { ServerSettings } from '../server/settings.ts';
import type { OpenedMetrics } from '../watch/metrics/metrics.ts';
import type { Engine } from './open-engine.ts';

export interface ServeOptions {
  readonly role: Role;
  readonly listen: { readonly host?: string; readonly port?: number } | undefined;
  readonly vitals: Pick<Vitals, 'workedAt' | 'isStarted'>;
  /** Returns why Redis cannot be used, if so; undefined without Redis. */
  readonly redisFault: (() => Promise<string | undefined>) | undefined;
  readonly metrics: OpenedMetrics;
  readonly app: AppIo;
}

/**
 * Opens the server that the configuration or `listen` names, if any. A scheduler or worker serves its health only, and
 * continues without a server when its port is in use.
 */
export async function serve(config: Config, engine: Engine, options: ServeOptions): Promise<RunningServer | undefined> {
  const { server } = config;
  const { role, listen, vitals, redisFault, metrics, app } = options;
  if (server === undefined && listen === undefined) return undefined;
  const worksOnly = role === 'scheduler' || role === 'worker';
  // The web server and its pages are loaded only where they are used.
  const [{ openServer }, { renderDocsPage }] = await Promise.all([
    import('../server/open-server.ts'),
    import('../sandbox/docs/render-docs-page.ts'),
  ]);
  const { clock, logger, newId, store } = engine.io;
  const needs = async () => {
    const fault = await store.leases.holder('ready', clock.now()).then(
      () => undefined,
      () => 'it cannot be read: see the log',
    );
    // Requests are rows of the store: the role server takes them while Redis is unavailable.
    const redis = redisFault === undefined || role === 'server' ? [] : [{ name: 'redis', fault: await redisFault() }];
    return [{ name: 'store', fault }, ...redis];
  };
  try {
    return await openServer({
      app,
      store,
      settings: settingsOf(server, listen, worksOnly ? 'health' : 'everything'),
      vitals: { ...vitals, needs },
      clock,
      logger,
      newId,
      version: readVersion(),
      renderDocs: (document) => renderDocsPage(document, { accessToken: '' }),
      metrics,
    });
  } catch (error) {
    if (!worksOnly || listen !== undefined) throw error;
    const why = describeError(error);
    logger.warn({ error: why }, 'this process does not serve its health. Set a separate port for it with --port');
    return undefined;
  }
}

function settingsOf(
  server: ServerConfig | undefined,
  listen: ServeOptions['listen'],
  serves: ServerSettings['serves'],
): ServerSettings {
  return {
    host: listen?.host ?? server?.host ?? '127.0.0.1',
    port: listen?.port ?? server?.port ?? 0,
    tokens: (server?.tokens ?? []).map(({ name, role, token }) => ({ name, role, token: token.reveal() })),
    ...(server?.publicUrl === undefined ? {} : { publicUrl: server.publicUrl }),
    ...(server?.openId === undefined ? {} : { openId: openIdOf(server.openId) }),
    sessions: server?.sessions ?? { idleMs: 1_800_000, lifetimeMs: 43_200_000 },
    webhooks: new Map(Object.entries(server?.webhooks ?? {}).map(([sync, { secret }]) => [sync, secret.reveal()])),
    requestsPerMinute: server?.requestsPerMinute ?? 300,
    serves,
  };
}

function openIdOf({
  clientSecret,
  ...settings
}: NonNullable<ServerConfig['openId']>): NonNullable<ServerSettings['openId']> {
  return clientSecret === undefined ? settings : { ...settings, clientSecret: clientSecret.reveal() };
}
