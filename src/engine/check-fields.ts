import { RollcallError } from '../core/errors.ts';
import type { SourceIo } from '../ports/source.ts';
import type { Sync } from './engine-io.ts';

/** What a sync reads and its source does not have. A path is there when its whole name or its first step is. */
export function absentFields(reads: readonly string[], fields: readonly string[]): readonly string[] {
  return reads.filter((read) => !fields.includes(read) && !fields.includes(read.split('.')[0] ?? ''));
}

/**
 * A field that is absent altogether is no blank value: a leave date that was renamed would keep every leaver, a scope
 * over a misspelt field would mean nobody. So nothing is read. Sources that know their fields only while they are read
 * are not judged, nor is an empty one. Throws `SOURCE_UNAVAILABLE`.
 */
export async function checkFields({ settings, mapping, source }: Sync, io: SourceIo): Promise<void> {
  const fields = await source.fields(io);
  if (fields === undefined || fields.length === 0) return;
  const absent = absentFields(mapping.reads, fields);
  if (absent.length === 0) return;
  // What it has instead is not said here: without a header line the first employee stands there.
  throw new RollcallError(
    `the source of sync ${settings.name} has no ${absent.length === 1 ? 'field' : 'fields'} ${absent.join(', ')}, named by ` +
      'its mapping, lifecycle or scope. Nothing was read: mend the export, or the names in the configuration; ' +
      '`rollcall check` lists what the source has.',
    { code: 'SOURCE_UNAVAILABLE' },
  );
}
