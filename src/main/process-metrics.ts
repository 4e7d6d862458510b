import type { Config } from '../config/config.ts';
import { readVersion } from '../drivers/http/version.ts';
import type { QueueDepth } from '../ports/metrics.ts';
import type { OpenedMetrics } from '../watch/metrics/metrics.ts';
import type { Engine } from './open-engine.ts';

/** Opens the metrics of a process of `rollcall start`. With telemetry they are sent too. Loads them only here. */
export async function openProcessMetrics(
  config: Config,
  { io, meter, tracing }: Engine,
  queue: (() => Promise<QueueDepth | undefined>) | undefined,
): Promise<OpenedMetrics> {
  const { openMetrics } = await import('../watch/metrics/metrics.ts');
  const { clock, store } = io;
  const names = { syncs: Object.values(config.syncs), connections: Object.keys(config.connections) };
  const metrics = openMetrics({ store, clock, version: readVersion(), names, queue });
  meter.attach(metrics.metrics);
  tracing?.sendMetrics(metrics.read);
  return metrics;
}
