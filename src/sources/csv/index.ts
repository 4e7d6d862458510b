import { resolve } from 'node:path';
import type { SourceBase, SourceKind } from '../../ports/source.ts';
import { readCsv, readCsvHeader } from './read.ts';
import { CsvConfig } from './schema.ts';

/** A CSV file dropped by an HR system: one employee per row, read whole each time. */
export const csv: SourceKind = {
  kind: 'csv',
  parse(config) {
    const parsed = CsvConfig.safeParse(config);
    if (parsed.success) return { ok: true, open: (base) => openCsv(parsed.data, base) };
    const problems = parsed.error.issues.map(({ path, message }) => ({
      path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
      message,
    }));
    return { ok: false, problems };
  },
};

function openCsv(config: CsvConfig, base: SourceBase) {
  const file = resolve(base.folder, config.path);
  const marker = config.marker === undefined ? `${file}.done` : resolve(base.folder, config.marker);
  return {
    kind: 'csv',
    capabilities: { delta: false, point: false },
    read: (request, io) => readCsv(config, { file, marker }, request, io),
    fields: () => readCsvHeader(config, file),
  } satisfies ReturnType<Extract<ReturnType<SourceKind['parse']>, { ok: true }>['open']>;
}
