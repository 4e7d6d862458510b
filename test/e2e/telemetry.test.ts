import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { traceIdsOf } from '../../src/core/run/run.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { shellIn } from '../cli/test-shell.ts';
import { startProxy } from '../support/http-proxy.ts';
import { plainSync } from '../support/office.ts';
import { type RollcallProcess, runRollcall, startRollcall } from '../support/rollcall-process.ts';
import { until } from '../support/services/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openReceiver, type Receiver } from '../watch/alerts/receiver.ts';
import { closeAfterAll, openRedisServer, redisOrSkip } from '../work/queue/with-redis.ts';

closeAfterAll();
const redis = await redisOrSkip('one trace over several workers');

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number };
}

/** What an OTLP receiver got: the spans, each with the instance that sent it. */
function decode({ received }: Receiver) {
  const bodies = received.map(({ path, text }) => ({ path, body: JSON.parse(text) }));
  const spans: readonly (SentSpan & { readonly instance: unknown })[] = bodies
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => body.resourceSpans)
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap((scope: { readonly spans: readonly SentSpan[] }) =>
        scope.spans.map((span) => ({ ...span, instance: attributeOf(resource, 'service.instance.id') })),
      ),
    );
  return { spans, instances: new Set(spans.map(({ instance }) => instance)) };
}

const attributeOf = ({ attributes }: Pick<SentSpan, 'attributes'>, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

/** Nothing that is sent may have one of these in it. */
const sentinels = ['Zyxname', 'Qwvname', 'zyxmail', 'ZYX-0815', 'ACME-SECRET'];

async function openFolder(
  more: object,
  { alerts, processingMs = 10 }: { alerts?: Receiver; processingMs?: number } = {},
) {
  const sandbox = await startSandbox({ now: () => Date.now(), processingMs, faults: [] });
  onTestFinished(() => sandbox.close());
  const folder = await temporaryFolder();
  const config = {
    connections: { acme: { baseUrl: sandbox.url, accessToken: sandbox.accessToken } },
    syncs: {
      people: {
        ...plainSync(),
        delivery: 'csv',
        guards: { creates: { absolute: 1000 } },
        settle: { every: '1s' },
      },
    },
    ...(alerts === undefined ? {} : { alerts: [{ kind: 'webhook', url: `${alerts.url}/hook` }] }),
    ...more,
  };
  await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify(config));
  const rows = [1, 2, 3].map((i) => `ZYX-0815-${i},Zyxname${i},Qwvname,zyxmail${i}@example.com,active\n`);
  await writeFile(join(folder, 'employees.csv'), `id,first,last,mail,status\n${rows.join('')}`);
  return folder;
}

/** Runs a command line in this process, which sends nothing: the SDK reads the environment of its own process. */
const command = (folder: string, words: readonly string[], env: Readonly<Record<string, string>>) =>
  shellIn(folder, env).run(words);

const environment = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-key=ACME-SECRET',
  OTEL_BSP_SCHEDULE_DELAY: '100',
});

/** What everything that was sent says of people: nothing. */
function expectNoPeople(receiver: Receiver): void {
  const all = receiver.received.map(({ text }) => text).join('\n');
  for (const planted of sentinels) expect(all).not.toContain(planted);
}

describe('telemetry', () => {
  it('of one run is one trace through the proxy of the environment, from the request to the read-back, and says nothing of people', async () => {
    const collector = await openReceiver();
    const folder = await openFolder({});
    const proxy = await startProxy(Number(new URL(collector.url).port));
    const env = {
      ...environment('http://collector.example.com:4318'),
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    };
    const done = await runRollcall(folder, ['apply', 'people', '--json', '--verbose'], env);
    expect(done.code, done.stderr).toBe(0);
    expect(proxy.seen).toContain('POST http://collector.example.com:4318/v1/traces');
    const run = String(JSON.parse(done.stdout).id);
    const ids = traceIdsOf(run);
    const { spans } = decode(collector);
    const own = spans.filter(({ traceId }) => traceId === ids.trace);
    const root = own.find(({ spanId }) => spanId === ids.span);
    expect(root).toMatchObject({ name: 'run', status: { code: 0 } });
    expect(root?.parentSpanId ?? '').toBe('');
    expect(root && attributeOf(root, 'rollcall.outcome')).toBe('succeeded');
    expect(own.filter(({ parentSpanId }) => parentSpanId === ids.span).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['waiting', 'reading', 'delivering', 'proving']),
    );
    // Every span of the trace hangs below the root, and lies within its time.
    const known = new Set(own.map(({ spanId }) => spanId));
    for (const span of own) {
      if (span !== root) expect(known).toContain(span.parentSpanId);
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0));
    }
    // Calls name their template, purpose, host and status, and no more.
    const calls = own.filter(({ kind }) => kind === 3);
    expect(calls.map((call) => attributeOf(call, 'rollcall.purpose'))).toEqual(
      expect.arrayContaining(['scan', 'upload', 'poll', 'read']),
    );
    const allowed = [
      'http.request.method',
      'url.template',
      'server.address',
      'http.response.status_code',
      'rollcall.connection',
      'rollcall.purpose',
      'rollcall.waited_ms',
    ];
    for (const call of calls) {
      expect(call.attributes.map(({ key }) => key).sort()).toEqual(allowed.toSorted());
      expect(call.name).not.toContain('?');
    }
    expectNoPeople(collector);
    // A line of the log leads to the trace.
    expect(done.stderr).toContain(`"trace_id":"${ids.trace}"`);
    expect(collector.received[0]?.headers['x-key']).toBe('ACME-SECRET');
  });

  it('is off without an endpoint, and when the environment turns it off', async () => {
    const collector = await openReceiver();
    const folder = await openFolder({});
    const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...without } = environment(collector.url);
    for (const env of [without, { ...environment(collector.url), OTEL_SDK_DISABLED: 'true' }]) {
      const done = await command(folder, ['apply', 'people', '--verbose'], env);
      expect(done.code, done.stderr).toBe(0);
      expect(done.stderr).not.toContain('trace_id');
    }
    expect(collector.received).toEqual([]);
  });

  it('to a collector that is not there fails no run', async () => {
    const collector = await openReceiver();
    await collector.close();
    const args = ['apply', 'people', '--json', '--verbose'];
    const env = { ...environment(collector.url), OTEL_EXPORTER_OTLP_TIMEOUT: '300' };
    const done = await runRollcall(await openFolder({}), args, env);
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ outcome: 'succeeded' });
    expect(done.stderr).toMatch(/"cause":"the connection was refused \(ECONNREFUSED\)".*telemetry could not be sent/);
  });

  it('names the trace in a notice: its id, or its link when there is an address', async () => {
    const [collector, hook] = [await openReceiver(), await openReceiver()];
    const traceUrl = 'https://traces.example/t/{traceId}';
    for (const more of [{}, { traceUrl }]) {
      const folder = await openFolder(more, { alerts: hook });
      await writeFile(join(folder, 'employees.csv'), '');
      const done = await command(folder, ['apply', 'people', '--json'], environment(collector.url));
      const { trace } = traceIdsOf(String(JSON.parse(done.stdout).id));
      const [notice] = hook.received.splice(0).map((one) => one.json<{ text: string; links: readonly object[] }>());
      if ('traceUrl' in more)
        expect(notice?.links).toContainEqual({ text: 'Trace', url: `https://traces.example/t/${trace}` });
      else expect(notice?.text).toContain(`, trace ${trace}`);
    }
  });
});

describe.skipIf(redis === undefined)('telemetry of several processes', () => {
  it('is one trace of a run that one worker began and another one ended', async () => {
    const collector = await openReceiver();
    const server = await openRedisServer(redis ?? '');
    // Long enough for the first worker to leave while the platform works on the file.
    const folder = await openFolder({ redis: server.url }, { processingMs: 8000 });
    const start = (role: string, instance: string): RollcallProcess => {
      const env = {
        ...process.env,
        ...environment(collector.url),
        OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${instance}`,
      };
      return startRollcall(folder, ['start', '--role', role], env);
    };
    const stop = async ({ child, ended }: RollcallProcess): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    };
    const [scheduler, first] = [start('scheduler', 'scheduler'), start('worker', 'first')];
    // The scheduler hands out the care for tokens at once.
    await until(async () => decode(collector).instances.has('first'));
    expect(await command(folder, ['resync', 'people'], {})).toMatchObject({ code: 0 });
    await until(async () => decode(collector).spans.some(({ name }) => name === 'reading'));
    await stop(first);
    const second = start('worker', 'second');
    await until(async () => decode(collector).spans.some(({ name }) => name === 'run'), 30_000);
    await stop(second);
    await stop(scheduler);
    const { spans } = decode(collector);
    const [root, ...others] = spans.filter(({ name }) => name === 'run');
    expect(others).toEqual([]);
    expect(root && attributeOf(root, 'rollcall.outcome')).toBe('succeeded');
    const steps = spans.filter(({ parentSpanId, name }) => parentSpanId === root?.spanId && name !== 'waiting');
    expect(steps.every(({ traceId }) => traceId === root?.traceId)).toBe(true);
    expect(new Set(steps.map(({ name }) => name))).toEqual(new Set(['reading', 'delivering', 'proving']));
    expect(new Set(steps.map(({ instance }) => instance))).toEqual(new Set(['first', 'second']));
    expectNoPeople(collector);
  }, 90_000);
});
