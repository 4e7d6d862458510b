import { onTestFinished } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { type WebhookKind, webhookWays } from '../../src/core/setup/webhook-ways.ts';
import type { SyncStanding } from '../../src/ports/reports.ts';
import type { Store } from '../../src/ports/store.ts';
import { renderDocsPage } from '../../src/sandbox/docs/render-docs-page.ts';
import { openServer } from '../../src/server/open-server.ts';
import type { RunningServer, ServerParts, Vitals } from '../../src/server/server-parts.ts';
import type { ServerSettings, WebhookSettings } from '../../src/server/settings.ts';
import { openStore } from '../../src/store/index.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type MemoryLogger, memoryLogger } from '../support/memory-logger.ts';

export const operatorToken = 'operator-token-of-a-test';
export const viewerToken = 'viewer-token-of-a-test-';
/** The tokens of a test server, unless its settings have others. */
export const testTokens = [
  { name: 'ops', role: 'operator', token: operatorToken },
  { name: 'auditor', role: 'viewer', token: viewerToken },
] as const;
export const webhookSecret = 'secret-of-the-people-webhook';

/** The settings of a webhook of this kind, as the configuration makes them. */
export function webhookOf(kind: WebhookKind, own: Partial<WebhookSettings> = {}): WebhookSettings {
  return { ...webhookWays[kind], kind, secret: webhookSecret, minEveryMs: 300_000, ...own };
}

/** An app that is asked for nothing; whoever asks sees it. */
export const noApp = appThat(async () => new Map());

/** An app whose list of syncs is read so. */
export function appThat(syncs: () => Promise<ReadonlyMap<string, SyncStanding>>): AppIo {
  const engine = { syncs: new Map(), clock: new FakeClock(), store: { reports: { syncs } } };
  return { syncs: [], connections: new Map(), engine } as unknown as AppIo;
}

export interface TestServer extends RunningServer {
  readonly clock: FakeClock;
  readonly log: MemoryLogger;
  /** Asks with the operator's token unless another is given; null: none. */
  ask(path: string, options?: AskOptions): Promise<Answer>;
}

export interface AskOptions {
  readonly method?: 'GET' | 'POST';
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly json: any;
}

export interface TestServerOptions {
  readonly settings?: Partial<ServerSettings>;
  readonly vitals?: Partial<Vitals>;
  readonly parts?: Partial<ServerParts>;
}

/** A store for sessions only. */
async function openOwnStore(): Promise<Store> {
  const store = await openStore('sqlite::memory:', { folder: '.' });
  onTestFinished(() => store.close());
  return store;
}

/** A real server over an app, on a free port of this machine. Its clock stands still. */
export async function openTestServer(app: AppIo, options: TestServerOptions = {}): Promise<TestServer> {
  const clock = new FakeClock();
  const log = memoryLogger();
  let requests = 0;
  const store = options.parts?.store ?? (await openOwnStore());
  const server = await openServer({
    app,
    store,
    settings: {
      host: '127.0.0.1',
      port: 0,
      tokens: testTokens,
      sessions: { idleMs: 1_800_000, lifetimeMs: 43_200_000 },
      webhooks: new Map([['people', webhookOf('rollcall')]]),
      requestsPerMinute: 10_000,
      metrics: 'token',
      trustedProxies: [],
      serves: 'everything',
      ...options.settings,
    },
    vitals: {
      workedAt: () => clock.now(),
      isStarted: () => true,
      needs: async () => [{ name: 'store', fault: undefined }],
      ...options.vitals,
    },
    clock,
    logger: log,
    newId: (prefix) => `${prefix}_${++requests}`,
    version: '1.2.3',
    renderDocs: (document) => renderDocsPage(document, { accessToken: '' }),
    ...options.parts,
  });
  onTestFinished(() => server.close());
  return { ...server, clock, log, ask: (path, asked) => ask(`${server.url}${path}`, asked) };
}

export async function ask(url: string, { method = 'GET', token = operatorToken, headers = {}, body }: AskOptions = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json$|json;/.test(response.headers.get('content-type') ?? '') && !text.includes('}\n{');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}
