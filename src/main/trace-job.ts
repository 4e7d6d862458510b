import { traceIdsOf } from '../core/run/run.ts';
import type { LogScope } from '../watch/logs/log-scope.ts';
import type { Engine } from './open-engine.ts';

/**
 * Does a job of the job table. Its log lines name its run. With telemetry it is a span of the trace of its run, its log
 * lines name that trace, and the job that ends the run sends the span of the whole run.
 */
export async function traceJob<Result>(
  { name, payload }: { readonly name: string; readonly payload: unknown },
  { tracing, io }: Pick<Engine, 'tracing' | 'io'>,
  scope: LogScope,
  work: () => Promise<Result>,
): Promise<Result> {
  const id = runOf(payload);
  if (tracing === undefined) return scope.during(id === undefined ? {} : { run: id }, work);
  if (id === undefined) return tracing.during({ name }, work);
  const { runs, triggers } = io.store;
  const run = await runs.get(id);
  return scope.during({ run: id, trace_id: traceIdsOf(id).trace }, async () => {
    const traced = run === undefined ? { name } : { name, run };
    const result = await tracing.during(traced, work);
    const after = run === undefined || run.endedAt !== undefined ? undefined : await runs.get(id);
    if (after?.endedAt !== undefined) tracing.runEnded(after, await triggers.requestedAt(id));
    return result;
  });
}

function runOf(payload: unknown): string | undefined {
  const run = typeof payload === 'object' && payload !== null && 'run' in payload ? payload.run : undefined;
  return typeof run === 'string' ? run : undefined;
}
