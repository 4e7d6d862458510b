import type { ReadEnd } from '../../core/plan/snapshot.ts';
import type { SourceIo, SourcePage } from '../../ports/source.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import { inPortions } from '../kit/pages.ts';
import { streamArray } from '../kit/stream-array.ts';
import { openTally } from '../kit/tally.ts';
import { refusalOf } from './refusals.ts';
import { type BamboohrConfig, requestedFields } from './schema.ts';
import type { ToEmployee } from './to-employee.ts';

const reportName = 'POST /api/v1/reports/custom';

export interface ReportRequest {
  readonly since: string | undefined;
  readonly mayBeEmpty: boolean;
  readonly accepts: ((fields: Readonly<Record<string, unknown>>) => boolean) | undefined;
  readonly toEmployee: ToEmployee;
}

/**
 * Reads a custom report: one answer without pages, read while its bytes arrive. Sends `onlyCurrent=false`, because
 * otherwise BambooHR blanks future values, such as the department of a future hire.
 */
export async function* readReport(
  config: BamboohrConfig,
  { since, mayBeEmpty, accepts, toEmployee }: ReportRequest,
  client: SourceClient,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const fields = requestedFields(config);
  const tally = openTally({ key: config.key, expected: since === undefined ? fields : [], mayBeEmpty });
  const filters = since === undefined ? {} : { filters: { lastChanged: { value: since, includeNull: 'no' } } };
  const body = client.stream({
    name: reportName,
    url: `${config.baseUrl}/v1/reports/custom?format=json&onlyCurrent=false`,
    method: 'POST',
    // Exactly this value: with a charset, BambooHR parses the body as XML.
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', value: { title: 'Rollcall', fields, ...filters } },
    refusal: refusalOf(reportName),
  });
  const rows = streamArray(body, { name: reportName, path: ['employees'], numbers: 'text' });
  yield* inPortions(rows, { tally, io, at: (n) => `row ${n}`, shape: toEmployee, accepts });
  return tally.end({ evidence: `the report ended normally, after ${tally.rows} people` });
}
