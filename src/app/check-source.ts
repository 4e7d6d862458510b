import { watchFields } from '../core/guard/field-visibility.ts';
import type { ReadEnd } from '../core/plan/snapshot.ts';
import { countOf } from '../core/run/count-of.ts';
import { RollcallError } from '../core/run/errors.ts';
import { formatInstant } from '../core/run/instant.ts';
import { nextRead } from '../core/run/next-read.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../ports/source.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';
import { absentFields, nameAbsent } from '../run/read/choose-read.ts';
import type { CheckLine } from './app-io.ts';

type Verdict = Omit<CheckLine, 'subject'>;

/**
 * Checks access to a source and the mapped fields: by its list of fields, if it has one, and by the first page of a
 * read. Presents no first refresh token. Throws the errors of the source.
 */
export async function checkSource(
  sync: Sync,
  { clock, logger }: Pick<EngineIo, 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<Verdict> {
  const io = { clock, logger, signal, previous: undefined };
  const fields = await sync.source.fields(io);
  const absent = fields === undefined ? [] : absentFields(sync.mapping.reads, fields);
  if (fields !== undefined && absent.length > 0) {
    const has = fields.length === 0 ? 'it has no fields' : `it has: ${fields.join(', ')}`;
    return { state: 'failed', message: `the source has no ${nameAbsent(absent, fields)}; ${has}` };
  }
  const first = await readFirstPage(sync, { kind: 'full' }, io);
  return 'complete' in first ? judgeEmptyRead(first) : judgePage(first, fields, sync);
}

/**
 * Checks that the source answers a delta read, and reports which read the next run makes. Returns undefined for a sync
 * without deltas.
 */
export async function checkDeltas(
  sync: Sync,
  { clock, logger, store }: Pick<EngineIo, 'clock' | 'logger' | 'store'>,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { source, settings, fingerprint } = sync;
  const { name, deltas } = settings;
  if (deltas === undefined) return undefined;
  const now = clock.now();
  const watermark = await store.reads.watermark(name);
  const grounds = { deltas, canDelta: source.capabilities.delta, isFullRequested: false, watermark, fingerprint, now };
  const next = nextRead(grounds);
  if (!grounds.canDelta) return { state: 'warning', message: `deltas: ${next.kind === 'full' ? next.reason : ''}` };
  try {
    const request = { kind: 'delta', since: new Date(now).toISOString() } as const;
    await readFirstPage(sync, request, { clock, logger, signal, previous: undefined });
  } catch (error) {
    if (signal.aborted || !(error instanceof RollcallError)) throw error;
    return { state: 'failed', message: `deltas: the delta read failed: ${error.message}` };
  }
  const works = 'deltas: the source answers delta reads';
  if (next.kind === 'full')
    return { state: 'ok', message: `${works}. The next run makes a full read, because ${next.reason}` };
  const dueAt = formatInstant(next.from.fullAt + deltas.fullEveryMs);
  return {
    state: 'ok',
    message: `${works} (since ${formatInstant(next.since)}). The next full read is due at ${dueAt}`,
  };
}

/** Returns the first page, or the end of a read without pages. */
async function readFirstPage({ source }: Sync, request: ReadRequest, io: SourceIo): Promise<SourcePage | ReadEnd> {
  const reading = source.read(request, io);
  try {
    return (await reading.next()).value;
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
}

function judgeEmptyRead(end: ReadEnd): Verdict {
  const why = end.complete ? 'the source excludes every record' : end.reasons.join('; ');
  return { state: 'failed', message: `source: access works, but the read is empty: ${why}` };
}

function judgePage(
  { records, broken }: SourcePage,
  fields: readonly string[] | undefined,
  { settings, mapping }: Sync,
): Verdict {
  const [bad] = broken;
  if (records.length === 0) {
    const message = `source: access works, but no record of the first page can be read: ${bad?.at}: ${bad?.reason}`;
    return { state: 'failed', message };
  }
  const unreadable = bad === undefined ? '' : ` and ${broken.length} that cannot be read (${bad.at}: ${bad.reason})`;
  const works = `source: access works; the first page has ${countOf(records.length, 'record')}${unreadable}`;
  const watch = watchFields(mapping.reads);
  for (const record of records) watch.see(record);
  const visibility = watch.visibility();
  const unseen = [...mapping.readers].filter(([read]) => visibility[read] !== true);
  if (unseen.length > 0) {
    const names = unseen.map(([read, readers]) => `${read} (for ${readers.join(', ')})`).join('; ');
    const message =
      `${works}. Mapped fields that it does not show: ${names}. Later records may have them, or a name is misspelled, ` +
      `or access to the field is not granted. To read all records: rollcall source try ${settings.name}`;
    return { state: 'warning', message };
  }
  const known = fields === undefined ? '' : ` (${countOf(fields.length, 'field')})`;
  const message = `${works}, and every mapped field is present${known}`;
  return { state: bad === undefined ? 'ok' : 'warning', message };
}
