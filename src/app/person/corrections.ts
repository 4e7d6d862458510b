import { stringify } from 'csv-stringify/sync';
import type { Language } from '../../core/person/corrections.ts';
import { type CorrectionList, dataQualityView } from '../../views/reports.ts';
import type { AppIo } from '../app-io.ts';
import { findSync, storedName } from '../find-named.ts';

/** Lists what HR has to correct, by who corrects it, the oldest first. Throws `USAGE` for a sync that is not configured. */
export async function findCorrections(
  { engine: io }: Pick<AppIo, 'engine'>,
  name: string,
  language: Language,
): Promise<CorrectionList> {
  const { settings } = findSync(name, io.syncs);
  const found = await io.store.reads.corrections(storedName(settings.name, io.syncs));
  const all = [...Map.groupBy(found, ({ owner }) => owner)]
    .sort(([one], [other]) => Number(one === '') - Number(other === '') || (one < other ? -1 : 1))
    .flatMap(([, some]) => some.toSorted((one, other) => one.since - other.since));
  return { sync: settings.name, language, all };
}

const columns = ['owner', 'person', 'place', 'column', 'problem', 'effect', 'remedy', 'since'] as const;

/** Returns the list as CSV with a header. An apostrophe protects cells that a spreadsheet would read as formulas. */
export function correctionsCsv(list: CorrectionList): string {
  const rows = dataQualityView(list).corrections.map((one) => columns.map((name) => one[name] ?? ''));
  return stringify([columns, ...rows], { escape_formulas: true });
}
