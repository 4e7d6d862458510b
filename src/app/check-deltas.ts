import { formatInstant } from '../core/instant.ts';
import { nextRead } from '../core/next-read.ts';
import type { EngineIo, Sync } from '../engine/engine-io.ts';
import type { CheckLine } from './app.ts';

/**
 * Whether a sync that wants deltas gets them: the source is asked for one that begins now, up to its first page; and which
 * read comes next, by what the store knows. Undefined where every read is full. Throws what the source throws.
 */
export async function checkDeltas(
  sync: Sync,
  { clock, logger, store }: Pick<EngineIo, 'clock' | 'logger' | 'store'>,
  signal: AbortSignal,
): Promise<Omit<CheckLine, 'subject'> | undefined> {
  const { source, settings, fingerprint } = sync;
  const { name, deltas } = settings;
  if (deltas === undefined) return undefined;
  const now = clock.now();
  const watermark = await store.reads.watermark(name);
  const grounds = { deltas, canDelta: source.capabilities.delta, isFullWished: false, watermark, fingerprint, now };
  const next = nextRead(grounds);
  if (!grounds.canDelta) return { state: 'warning', message: `deltas: ${next.kind === 'full' ? next.reason : ''}` };
  const reading = source.read(
    { kind: 'delta', since: new Date(now).toISOString() },
    { clock, logger, signal, previous: undefined },
  );
  try {
    await reading.next();
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
  const works = 'deltas: the source answers when it is asked who has changed';
  if (next.kind === 'full')
    return { state: 'ok', message: `${works}; the next run reads everybody, because ${next.reason}` };
  const dueAt = formatInstant(next.from.fullAt + deltas.fullEveryMs);
  return {
    state: 'ok',
    message: `${works} since ${formatInstant(next.since)}; everybody is read by runs from ${dueAt}`,
  };
}
