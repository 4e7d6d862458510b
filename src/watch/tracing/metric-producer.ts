import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricFamily } from '../../ports/metrics.ts';

interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Produces the metrics of `/metrics` for OpenTelemetry, under the same names and labels. */
export function openMetricProducer(
  read: () => Promise<readonly MetricFamily[]>,
  times: { readonly startedAt: number; readonly now: () => number },
): MetricProducer {
  return {
    async collect() {
      const span = { startTime: hrTime(times.startedAt), endTime: hrTime(times.now()) };
      const metrics = (await read()).filter(({ samples }) => samples.length > 0).map((family) => toData(family, span));
      const scopeMetrics = [{ scope: { name: 'rollcall' }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

function toData(family: MetricFamily, span: Span): MetricData {
  const { name, type, help, samples } = family;
  const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(family, span) };
  }
  const dataPoints = samples.map(({ labels, value }) => ({ ...span, attributes: { ...labels }, value }));
  return type === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's';
  return /_bytes$/.test(name) ? 'By' : '1';
}

function histograms({ name, samples }: MetricFamily, span: Span) {
  const series = new Map<string, MetricFamily['samples'][number][]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  return [...series].map(([key, own]) => ({
    ...span,
    attributes: JSON.parse(key) as Record<string, string>,
    value: toHistogram(name, own),
  }));
}

/** Buckets of Prometheus count everything below their bound; those of OpenTelemetry only what is above the one before. */
function toHistogram(name: string, samples: MetricFamily['samples']): Histogram {
  const totalOf = (suffix: string): number => samples.find((one) => one.name === `${name}_${suffix}`)?.value ?? 0;
  const buckets = samples.filter((one) => one.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite);
  const below = buckets.map(({ value }) => value);
  const counts = below.map((value, i) => value - (below[i - 1] ?? 0));
  return { buckets: { boundaries: bounds, counts }, sum: totalOf('sum'), count: totalOf('count') };
}

function hrTime(at: number): HrTime {
  const seconds = Math.floor(at / 1000);
  return [seconds, Math.round((at - seconds * 1000) * 1e6)];
}
