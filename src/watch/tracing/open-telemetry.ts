import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Context, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { RollcallError } from '../../core/run/errors.ts';
import { traceIdsOf } from '../../core/run/run.ts';
import { describeNetworkFailure } from '../../drivers/http/network-failure.ts';
import type { Tracing } from '../../ports/metrics.ts';
import type { Clock, Egress, Logger } from '../../ports/runtime.ts';
import type { Run } from '../../ports/store.ts';

export interface TelemetryOptions {
  /** The `OTEL_…` variables. The exporters of the SDK read those of the process itself. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** The name of this deployment. */
  readonly deployment: string;
  /** The host of a connection, for the spans of its calls. */
  readonly hostOf: (connection: string) => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The proxies of the environment. */
  readonly egress?: Egress;
}

/** How long one export may take (ms), unless `OTEL_EXPORTER_OTLP_TIMEOUT` says otherwise. It delays the end of a command. */
const exportMs = 3000;
/** At most one complaint about the collector in this time (ms). */
const complainEveryMs = 60_000;

/** Opens the official SDK with its exporter of traces for OTLP over HTTP. Loaded only where telemetry is on. */
export function openTelemetry({ env, version, deployment, hostOf, clock, logger, egress }: TelemetryOptions): Tracing {
  const complain = openComplaints(logger, clock);
  const named = { 'service.name': 'rollcall', 'service.version': version, 'service.namespace': deployment };
  const resource = defaultResource()
    .merge(resourceFromAttributes(named))
    .merge(detectResources({ detectors: [envDetector] }));
  const root = rootSampler(env);
  const ids = fixableIds();
  const given = Number(env.OTEL_EXPORTER_OTLP_TIMEOUT);
  const timeoutMillis = given > 0 ? given : exportMs;
  const exporter = new OTLPTraceExporter({
    timeoutMillis,
    httpAgentOptions: async () => agentTo(collectorOf(env), egress),
  });
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root }),
    idGenerator: ids.generator,
    spanProcessors: [new BatchSpanProcessor({ exporter: telling(exporter, complain) })],
  });
  const tracer = provider.getTracer('rollcall', version);
  const active = new AsyncLocalStorage<Context>();

  /** The context of the steps of a run: the span of the whole run, which is sent when the run has ended. */
  const contextOf = (run: string): Context => {
    const { trace: traceId, span: spanId } = traceIdsOf(run);
    const { decision } = root.shouldSample(ROOT_CONTEXT, traceId, 'run', SpanKind.INTERNAL, {}, []);
    const traceFlags = decision === SamplingDecision.RECORD_AND_SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  };

  return {
    async during({ name, run }, work) {
      const attributes = { 'rollcall.job': name, ...(run === undefined ? {} : runAttributes(run)) };
      const parent = run === undefined ? (active.getStore() ?? ROOT_CONTEXT) : contextOf(run.id);
      const title = run === undefined ? name : run.phase;
      const span = tracer.startSpan(title, { startTime: clock.now(), attributes }, parent);
      try {
        return await active.run(trace.setSpan(parent, span), work);
      } catch (error) {
        // The message of an error may quote anything; its code does not.
        span.setAttribute('error.type', error instanceof RollcallError ? error.code : 'UNEXPECTED');
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end(clock.now());
      }
    },
    runEnded(run, requestedAt) {
      const { id, startedAt, endedAt, outcome } = run;
      const startTime = requestedAt ?? startedAt;
      const counts = Object.entries(run.counts).map(([kind, count]) => [`rollcall.changes.${kind}`, count]);
      const attributes = {
        ...runAttributes(run),
        'rollcall.outcome': outcome ?? 'unknown',
        ...Object.fromEntries(counts),
      };
      const span = ids.as(traceIdsOf(id), () => tracer.startSpan('run', { root: true, startTime, attributes }));
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endedAt);
      if (requestedAt === undefined) return;
      tracer.startSpan('waiting', { startTime: requestedAt }, contextOf(id)).end(startedAt);
    },
    metrics: {
      requestEnded({ connection, operation, purpose, status, tookMs, waitedMs }) {
        const now = clock.now();
        const [method = '', template = ''] = operation.split(' ');
        const host = hostOf(connection);
        const attributes = {
          'http.request.method': method,
          'url.template': template,
          ...(host === undefined ? {} : { 'server.address': host }),
          ...(status === undefined ? { 'error.type': 'no answer' } : { 'http.response.status_code': status }),
          'rollcall.connection': connection,
          'rollcall.purpose': purpose,
          'rollcall.waited_ms': Math.round(waitedMs),
        };
        const options = { kind: SpanKind.CLIENT, startTime: now - tookMs, attributes };
        const span = tracer.startSpan(operation, options, active.getStore() ?? ROOT_CONTEXT);
        if (status === undefined || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(now);
      },
      tokenPresented: () => {},
    },
    async close() {
      const enough = new AbortController();
      const late = clock.sleep(exportMs, enough.signal).catch(() => {});
      const closed = provider.shutdown().catch(() => {});
      await Promise.race([closed, late]);
      enough.abort();
      diag.disable();
    },
  };
}

function runAttributes({ id, sync, connection, trigger, scope }: Run): Record<string, string> {
  return {
    'rollcall.run': id,
    'rollcall.sync': sync,
    'rollcall.connection': connection,
    'rollcall.trigger': trigger,
    'rollcall.scope': scope.kind,
  };
}

/** A generator of ids that can be told the next ones: the ids of a run's own span follow from the run. */
function fixableIds() {
  const random = new RandomIdGenerator();
  let next: { readonly trace: string; readonly span: string } | undefined;
  return {
    generator: {
      generateTraceId: () => next?.trace ?? random.generateTraceId(),
      generateSpanId: () => next?.span ?? random.generateSpanId(),
    },
    as<Result>(fixed: NonNullable<typeof next>, start: () => Result): Result {
      next = fixed;
      try {
        return start();
      } finally {
        next = undefined;
      }
    },
  };
}

function collectorOf(env: TelemetryOptions['env']): URL {
  const address = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || '';
  return URL.canParse(address) ? new URL(address) : new URL('http://localhost:4318');
}

/** Opens the sockets to the collector, through its proxy if it has one. */
function agentTo(url: URL, egress: Egress | undefined): HttpAgent {
  const proxy = egress?.proxyFor(url);
  const options = {
    keepAlive: true,
    ...(proxy === undefined ? {} : { proxyEnv: { http_proxy: proxy, https_proxy: proxy } }),
  };
  return url.protocol === 'http:' ? new HttpAgent(options) : new HttpsAgent(options);
}

/** The SDK's own messages may have the address and headers of the collector, so only the cause is logged. */
function openComplaints(logger: Logger, clock: Pick<Clock, 'now'>): (error: unknown) => void {
  let quietUntil = 0;
  const complain = (error: unknown): void => {
    if (clock.now() < quietUntil) return;
    quietUntil = clock.now() + complainEveryMs;
    const isAnswer = error instanceof Error && 'code' in error && typeof error.code === 'number';
    const cause = isAnswer ? `the collector answered with status ${error.code}` : describeNetworkFailure(error).text;
    logger.warn({ cause }, 'telemetry could not be sent: see OTEL_EXPORTER_OTLP_ENDPOINT and the network policy');
  };
  const silent = (): void => {};
  diag.setLogger({ error: complain, warn: complain, info: silent, debug: silent, verbose: silent });
  return complain;
}

interface Exporter<Items> {
  export(items: Items, done: (result: { readonly error?: Error }) => void): void;
}

/** Tells why an export failed, which the SDK itself keeps to itself. */
function telling<Items, Kind extends Exporter<Items>>(
  exporter: Kind & Exporter<Items>,
  complain: (error: unknown) => void,
): Kind {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    send(items, (result) => {
      if (result.error !== undefined) complain(result.error);
      done(result);
    });
  };
  return exporter;
}

/**
 * Returns the sampler of `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` for the root of a trace. It decides by the
 * trace id, so that every process decides the same about a run. Unknown names sample everything, as the SDK does.
 */
export function rootSampler(env: Readonly<Record<string, string | undefined>>): Sampler {
  const name = (env.OTEL_TRACES_SAMPLER ?? '').trim().replace(/^parentbased_/, '');
  if (name === 'always_off') return new AlwaysOffSampler();
  if (name !== 'traceidratio') return new AlwaysOnSampler();
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG ?? '1');
  return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
}
