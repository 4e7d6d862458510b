import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { traceIdsOf } from '../../src/core/run/run.ts';
import { isSent, isTelemetryOn } from '../../src/watch/tracing/is-on.ts';
import { openMetricProducer, rootSampler } from '../../src/watch/tracing/open-telemetry.ts';

const endpoint = 'http://collector:4318';

it.each([
  [{}, false, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false, false],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, false, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, true, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, true, false],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint }, false, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }, false, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_METRICS_EXPORTER: 'none' }, true, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'TRUE' }, false, false],
] as const)('%j sends traces: %s, metrics: %s', (env, traces, metrics) => {
  expect([isSent('TRACES', env), isSent('METRICS', env), isTelemetryOn(env)]).toEqual([
    traces,
    metrics,
    traces || metrics,
  ]);
});

it('samples the share of runs that the environment asks for, and the same ones in every process', () => {
  const sampled = (env: Record<string, string>): readonly string[] => {
    const sampler = rootSampler(env);
    return Array.from({ length: 400 }, (_, i) => traceIdsOf(`run_${i}`).trace).filter(
      (id) =>
        sampler.shouldSample(ROOT_CONTEXT, id, 'run', SpanKind.INTERNAL, {}, []).decision ===
        SamplingDecision.RECORD_AND_SAMPLED,
    );
  };
  expect(sampled({})).toHaveLength(400);
  expect(sampled({ OTEL_TRACES_SAMPLER: 'always_off' })).toHaveLength(0);
  const quarter = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
  const chosen = sampled(quarter);
  expect(chosen).toEqual(sampled(quarter));
  expect(chosen.length).toBeGreaterThan(60);
  expect(chosen.length).toBeLessThan(140);
  expect(sampled({ ...quarter, OTEL_TRACES_SAMPLER_ARG: 'many' })).toHaveLength(400);
});

it('turns the buckets of Prometheus, which add up, into those of OpenTelemetry, series by series', async () => {
  const of = (name: string, value: number, labels: Record<string, string>) => ({
    name: `took_seconds${name}`,
    value,
    labels,
  });
  const samples = ['a', 'b'].flatMap((sync, i) => [
    of('_bucket', 2 + i, { sync, le: '1' }),
    of('_bucket', 5 + i, { sync, le: '10' }),
    of('_bucket', 6 + i, { sync, le: '+Inf' }),
    of('_sum', 40, { sync }),
    of('_count', 6 + i, { sync }),
  ]);
  const families = [
    { name: 'took_seconds', type: 'histogram', help: 'Time.', samples },
    { name: 'made_total', type: 'counter', help: 'Made.', samples: [{ name: 'made_total', labels: {}, value: 3 }] },
    { name: 'nothing', type: 'gauge', help: 'Absent.', samples: [] },
  ] as const;
  const producer = openMetricProducer(async () => families, { startedAt: 1500, now: () => 3250 });
  const { resourceMetrics } = await producer.collect();
  const [took, made, ...more] = resourceMetrics.scopeMetrics[0]?.metrics ?? [];
  expect(more).toEqual([]);
  expect(took?.descriptor).toMatchObject({ name: 'took_seconds', unit: 's' });
  expect(took?.dataPoints).toMatchObject([
    { attributes: { sync: 'a' }, value: { buckets: { boundaries: [1, 10], counts: [2, 3, 1] }, sum: 40, count: 6 } },
    { attributes: { sync: 'b' }, value: { buckets: { boundaries: [1, 10], counts: [3, 3, 1] }, sum: 40, count: 7 } },
  ]);
  expect(made?.dataPoints).toMatchObject([{ startTime: [1, 500_000_000], endTime: [3, 250_000_000], value: 3 }]);
});
