import { countOf } from '../core/count-of.ts';
import { watchFields } from '../core/field-visibility.ts';
import type { ReadEnd } from '../core/snapshot.ts';
import { absentFields } from '../engine/check-fields.ts';
import type { EngineIo, Sync } from '../engine/engine-io.ts';
import type { SourceIo, SourcePage } from '../ports/source.ts';
import type { CheckLine } from './app.ts';

type Verdict = Omit<CheckLine, 'subject'>;

/**
 * Whether a source lets us in and shows what is mapped: by its fields, where it can name them beforehand, and by the first
 * page of a read that is stopped there. Throws what the source throws; a first refresh token is not presented by this.
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
    const has = fields.length === 0 ? 'it has none at all' : `it has: ${fields.join(', ')}`;
    return { state: 'failed', message: `source has no field ${absent.join(', ')}; ${has}` };
  }
  const first = await readFirstPage(sync, io);
  return 'complete' in first ? judgeNobody(first) : judgePage(first, fields, sync);
}

/** The first page, or how the read ended where there is none. */
async function readFirstPage({ source }: Sync, io: SourceIo): Promise<SourcePage | ReadEnd> {
  const reading = source.read({ kind: 'full' }, io);
  try {
    return (await reading.next()).value;
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
}

function judgeNobody(end: ReadEnd): Verdict {
  const why = end.complete ? 'every record was left out' : end.reasons.join('; ');
  return { state: 'failed', message: `source: access works, but nobody came: ${why}` };
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
  const came = `the first page has ${countOf(records.length, 'record')}`;
  const unreadable = bad === undefined ? '' : ` and ${broken.length} that cannot be read (${bad.at}: ${bad.reason})`;
  const watch = watchFields(mapping.reads);
  for (const record of records) watch.see(record);
  const visibility = watch.visibility();
  const unseen = [...mapping.readers].filter(([read]) => visibility[read] !== true);
  if (unseen.length > 0) {
    const names = unseen.map(([read, readers]) => `${read} (for ${readers.join(', ')})`).join('; ');
    const message =
      `source: access works; ${came}${unreadable}. Mapped, and not in the first page: ${names}. ` +
      `Others may have it, or it is misspelt or not granted; to read everybody: rollcall source try ${settings.name}`;
    return { state: 'warning', message };
  }
  const known = fields === undefined ? '' : ` (${countOf(fields.length, 'field')})`;
  const message = `source: access works; ${came}${unreadable}, and every field that is mapped is there${known}`;
  return { state: bad === undefined ? 'ok' : 'warning', message };
}
