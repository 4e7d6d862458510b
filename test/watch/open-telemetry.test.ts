import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { traceIdsOf } from '../../src/core/run/run.ts';
import { isTelemetryOn } from '../../src/watch/tracing/is-on.ts';
import { rootSampler } from '../../src/watch/tracing/open-telemetry.ts';

const endpoint = 'http://collector:4318';

it.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, true],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'TRUE' }, false],
] as const)('%j sends traces: %s', (env, isOn) => {
  expect(isTelemetryOn(env)).toBe(isOn);
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
