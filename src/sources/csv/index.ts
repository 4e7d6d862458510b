import { defineKind } from '../kit/kind.ts';
import { CsvConfig } from './config.ts';
import { fileOpener } from './places/open-file.ts';
import { readCsv, readCsvHeader } from './read.ts';
import { readAllKinds } from './read-all.ts';

/** A CSV file from an HR system: one employee per row, read completely each time. */
export const csv = defineKind({
  kind: 'csv',
  title: 'a CSV file that the HR system writes: here, on an SFTP server, behind an address or in a bucket',
  capabilities: { delta: false, point: false, terminated: 'configurable', future: 'configurable' },
  config: CsvConfig,
  folder: import.meta.dirname,
  open(config, base) {
    const openFile = fileOpener(config, base);
    return {
      read: (request, io) => (config.all ? readAllKinds : readCsv)(config, openFile, request, io),
      fields: (io) => readCsvHeader(config, openFile, io),
    };
  },
});
