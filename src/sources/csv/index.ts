import { resolve } from 'node:path';
import type { z } from 'zod';
import type { SourceBase, SourceKind } from '../../ports/source.ts';
import { readCsv, readCsvHeader } from './read.ts';
import { CsvConfig, csvKeys } from './schema.ts';

/** A CSV file dropped by an HR system: one employee per row, read whole each time. */
export const csv: SourceKind = {
  kind: 'csv',
  parse(config) {
    const parsed = CsvConfig.safeParse(config, { error: sentenceFor });
    if (parsed.success) return { ok: true, open: (base) => openCsv(parsed.data, base) };
    const problems = parsed.error.issues.flatMap((issue) => {
      const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
      if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
      return issue.keys.map((key) => ({ path: [...path, key], message: issue.message }));
    });
    return { ok: false, problems };
  },
};

/** What the configuration says of a wrong value; it goes on from the key and never holds the value itself. */
function sentenceFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return `is not a known key; known here: ${csvKeys.join(', ')}`;
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return 'must not be empty';
  return issue.code === 'invalid_type' ? 'must be text; put it in quotes' : undefined;
}

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
