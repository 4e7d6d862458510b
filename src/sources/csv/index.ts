import { resolve } from 'node:path';
import type { Source, SourceBase } from '../../ports/source.ts';
import { defineKind } from '../../source-kit/kind.ts';
import { readCsv, readCsvHeader } from './read.ts';
import { CsvConfig } from './schema.ts';
import { csvStarter } from './starter.ts';

/** A CSV file dropped by an HR system: one employee per row, read whole each time. */
export const csv = defineKind({
  kind: 'csv',
  title: 'a CSV file that the HR system writes',
  capabilities: { delta: false, point: false, terminated: 'configurable', future: 'configurable' },
  config: CsvConfig,
  starters: [csvStarter],
  open: openCsv,
});

function openCsv(config: CsvConfig, base: SourceBase): Source {
  const file = resolve(base.folder, config.path);
  const marker = config.marker === undefined ? `${file}.done` : resolve(base.folder, config.marker);
  return {
    kind: 'csv',
    capabilities: csv.capabilities,
    read: (request, io) => readCsv(config, { file, marker }, request, io),
    fields: () => readCsvHeader(config, file),
  };
}
