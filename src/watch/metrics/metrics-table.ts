import data from './metrics.json' with { type: 'json' };

type MetricType = keyof typeof data;

/** The names in the code of the metrics of a type. */
export type MetricKey<Type extends MetricType> = keyof (typeof data)[Type];

/** One metric. Its name is defined only in the table. */
export interface MetricRow {
  readonly name: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
  /** `store`: of the whole deployment, so one process exports it. `process`: events of this process since it started. */
  readonly scope: 'store' | 'process';
  /** Upper bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

/** Every metric by its name in the code. docs/metrics.md is generated from it. No label contains personal data. */
export const metricsTable = Object.fromEntries(
  Object.entries(data).flatMap(([type, rows]) => Object.entries(rows).map(([key, row]) => [key, { ...row, type }])),
) as Readonly<Record<string, MetricRow>>;
