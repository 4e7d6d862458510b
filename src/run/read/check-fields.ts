import { RollcallError } from '../../core/run/errors.ts';
import { sameName } from '../../core/run/nearest.ts';
import type { SourceIo } from '../../ports/source.ts';
import type { Sync } from '../engine-io.ts';

/**
 * Returns the fields that a sync reads and its source does not have. A path exists when its whole name or its first
 * step does.
 */
export function absentFields(reads: readonly string[], fields: readonly string[]): readonly string[] {
  return reads.filter((read) => !fields.includes(read) && !fields.includes(read.split('.')[0] ?? ''));
}

/**
 * Returns `fields job, Area (did you mean area?)`. Only a name that is equal but for case and blanks is proposed: without
 * a header line, other names are values of the first employee.
 */
export function nameAbsent(absent: readonly string[], fields: readonly string[]): string {
  const names = absent.map((read) => {
    const guess = sameName(read.split('.')[0] ?? read, fields);
    return guess === undefined ? read : `${read} (did you mean ${guess}?)`;
  });
  return `${absent.length === 1 ? 'field' : 'fields'} ${names.join(', ')}`;
}

/**
 * Checks that the source has every field that the sync reads. An absent field is not a blank value. A renamed leave
 * date would keep every leaver, and a scope over a misspelled field would match no employee. Sources that learn their
 * fields only during a read are not checked, nor are empty sources. Throws `SOURCE_UNAVAILABLE`, and then nothing is
 * read.
 */
export async function checkFields({ settings, mapping, source }: Sync, io: SourceIo): Promise<void> {
  const fields = await source.fields(io);
  if (fields === undefined || fields.length === 0) return;
  const absent = absentFields(mapping.reads, fields);
  if (absent.length === 0) return;
  throw new RollcallError(
    `the source of sync ${settings.name} has no ${nameAbsent(absent, fields)}, named by ` +
      'its mapping, lifecycle, scope or prefer. Nothing was read. Correct the export, or the names in the configuration: ' +
      '`rollcall check` lists the fields of the source.',
    { code: 'SOURCE_UNAVAILABLE' },
  );
}
