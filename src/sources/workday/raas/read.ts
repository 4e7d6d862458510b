import type { SourceRecord } from '../../../core/person/person.ts';
import type { ReadEnd } from '../../../core/plan/snapshot.ts';
import type { SourcePage } from '../../../ports/source.ts';
import type { Refusal } from '../../kit/http/failure.ts';
import type { HttpRead } from '../../kit/http/source-client.ts';
import { acceptsOnly, inPortions } from '../../kit/pages.ts';
import { utcDay } from '../../kit/status.ts';
import { streamArray } from '../../kit/stream-array.ts';
import { openTally } from '../../kit/tally.ts';
import type { RaasConfig } from '../config.ts';
import { openRowReader } from './to-person.ts';

const requestName = 'GET customreport2/{tenant}/{owner}/{report}';

/** A report has no pages: it is one answer, and only a chunk of it is held. 2 GB is reported to be Workday's limit. */
export const maxReportBytes = 4 * 1024 ** 3;

/** Reads the report once, row by row while its bytes arrive. */
export async function* readReport(
  config: RaasConfig,
  { client, request, io }: HttpRead,
): AsyncGenerator<SourcePage, ReadEnd> {
  const tally = openTally({ key: config.key });
  const rows = openRowReader(config, utcDay(io.clock.now()));
  const accepts = acceptsOnly(request);
  const count = openCount(config.countColumn);
  const body = client.stream({ name: requestName, url: reportUrl(config), refusal: unauthorised });
  const found = streamArray(body, { name: requestName, path: ['Report_Entry'], numbers: 'text' });
  const shape = (row: SourceRecord['fields']): SourceRecord['fields'] => {
    count.add(row);
    return rows.read(row);
  };
  const pages = inPortions(found, { tally, io, at: (n) => `row ${n}`, shape, accepts });
  if (request.kind === 'full') yield* pages;
  // What is left are the few people of a lookup. They wait for the end, which shows whether a column is missing altogether.
  const waiting = (await Array.fromAsync(pages)).flatMap(({ records }) => records);
  const notReturned = rows.neverSeen();
  const records = waiting.map(({ at, fields }) => ({ at, fields: without(fields, notReturned) }));
  if (records.length > 0) yield { records, broken: [] };
  io.signal.throwIfAborted();
  for (const doubt of count.doubts()) tally.doubt(doubt);
  const end = tally.end({ evidence: `the report ended normally, after ${tally.rows} rows`, total: count.total() });
  return notReturned.length > 0 ? { ...end, notReturned } : end;
}

function without(fields: SourceRecord['fields'], names: readonly string[]): SourceRecord['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function reportUrl({ url, prompts = {} }: RaasConfig): string {
  const full = new URL(url);
  for (const [alias, value] of Object.entries(prompts)) full.searchParams.set(alias, value);
  full.searchParams.set('format', 'json');
  return full.href;
}

/** Workday answers 500 to a user without access to the report. A retry cannot help and may lock the account. */
function unauthorised(status: number, bytes: Uint8Array): Refusal | undefined {
  if (status !== 500 || !Buffer.from(bytes).includes('not authorized')) return undefined;
  return {
    what: `${requestName} was refused: the integration user is not authorized for it`,
    advice: 'Share the report with the user, and give its security group the domains of the columns.',
    isRefusal: true,
  };
}

/** Reads the number of rows, which the report repeats in a column of each row. */
function openCount(column: string | undefined) {
  const said = new Set<string>();
  return {
    add(row: Readonly<Record<string, unknown>>): void {
      if (column !== undefined && said.size < 2) said.add(String(row[column] ?? ''));
    },
    doubts(): readonly string[] {
      if (column === undefined || (said.size === 1 && this.total() !== undefined)) return [];
      return [`${column} does not have the same number of rows in each row, so it proves nothing`];
    },
    total(): number | undefined {
      const [text = ''] = said;
      return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
    },
  };
}
