import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type MetricKey, type MetricRow, metricsTable } from './metrics-table.ts';

type KeysOf<Type extends MetricRow['type']> = {
  [Key in MetricKey]: (typeof metricsTable)[Key]['type'] extends Type ? Key : never;
}[MetricKey];

/** The instruments of the table. */
export type Instruments = { readonly [Key in KeysOf<'gauge'>]: Gauge } & {
  readonly [Key in KeysOf<'counter'>]: Counter;
} & { readonly [Key in KeysOf<'histogram'>]: Histogram };

/** Removes every value of the gauges that only the store can tell. */
export function clearStoreGauges(instruments: Instruments): void {
  for (const [key, { type, scope, labels }] of Object.entries(metricsTable)) {
    if (type !== 'gauge' || scope !== 'store') continue;
    const gauge = instruments[key as KeysOf<'gauge'>];
    gauge.reset();
    // A gauge without labels is 0 then, and not absent.
    if (labels.length === 0) gauge.remove();
  }
}

/** Registers every metric of the table. */
export function openInstruments(registry: Registry): Instruments {
  const open = ({ name, type, labels, help, buckets }: MetricRow): Gauge | Counter | Histogram => {
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'gauge') return new Gauge(options);
    if (type === 'counter') return new Counter(options);
    return new Histogram({ ...options, ...(buckets === undefined ? {} : { buckets: [...buckets] }) });
  };
  return Object.fromEntries(
    Object.entries(metricsTable).map(([key, row]) => [key, open(row)]),
  ) as unknown as Instruments;
}
