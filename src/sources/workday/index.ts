import { statusField } from '../../core/person/lifecycle.ts';
import type { SourceRecord } from '../../core/person/person.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { countOf } from '../../core/run/formats.ts';
import type { SourceBase, SourcePage } from '../../ports/source.ts';
import { openAuthority } from '../kit/http/authority.ts';
import type { Refusal } from '../kit/http/failure.ts';
import { type HttpRead, readOverHttp } from '../kit/http/source-client.ts';
import { defineKind, type OpenedSource } from '../kit/kind.ts';
import { acceptsOnly, countIn, type Fields, inPortions, openTally } from '../kit/pages.ts';
import { plainDate, utcDay } from '../kit/status.ts';
import { streamArray } from '../kit/stream-array.ts';
import { type RaasConfig, type SoapConfig, WorkdayConfig } from './config.ts';
import { idTypes, readWorkers } from './soap/read.ts';
import { statusInputs } from './soap/to-person.ts';
import { employmentStatus, readBoolean } from './status.ts';

/** Workday: a custom report (RaaS), or all workers by the web service (SOAP). */
export const workday = defineKind({
  kind: 'workday',
  title: 'Workday workers, by a report (RaaS) or the web service (SOAP)',
  capabilities: { delta: true, point: true, terminated: 'configurable', future: 'configurable' },
  config: WorkdayConfig,
  folder: import.meta.dirname,
  starters: ['starter.yaml', 'starter-soap.yaml'],
  capabilitiesOf: ({ api }) =>
    api === 'raas' ? { delta: false, point: false } : { terminated: 'always', future: 'always' },
  open: (config, base) => (config.api === 'raas' ? openReport(config, base) : openWorkers(config, base)),
});

function openReport(config: RaasConfig, base: SourceBase): OpenedSource {
  const authority = openAuthority(config.auth, base, config.limits.timeout, config.tls);
  return {
    derives: { [statusField]: statusColumns(config) },
    read: readOverHttp(config, authority, (by) => readReport(config, by), { maxBytes: maxReportBytes }),
    fields: async () => reportFields(config),
  };
}

function openWorkers(config: SoapConfig, base: SourceBase): OpenedSource {
  // User and password are in the envelope (WS-Security), because Workday's SOAP has no HTTP login.
  const auth = config.auth.kind === 'basic' ? ({ kind: 'none' } as const) : config.auth;
  const authority = openAuthority(auth, base, config.limits.timeout, config.tls);
  return {
    derives: { [statusField]: statusInputs },
    looksUp: (field) => Object.hasOwn(idTypes, field),
    read: readOverHttp(config, authority, (by) => readWorkers(config, by)),
  };
}

const requestName = 'GET customreport2/{tenant}/{owner}/{report}';

/** A report has no pages: it is one answer, and only a chunk of it is held. 2 GB is reported to be Workday's limit. */
const maxReportBytes = 4 * 1024 ** 3;

/** Reads the report once, row by row while its bytes arrive. */
async function* readReport(config: RaasConfig, { client, request, io }: HttpRead): AsyncGenerator<SourcePage, ReadEnd> {
  const tally = openTally({ key: config.key });
  const rows = openRowReader(config, utcDay(io.clock.now()));
  const accepts = acceptsOnly(request);
  const count = openCount(config.countColumn);
  const body = client.stream({ name: requestName, url: reportUrl(config), refusal: unauthorised });
  const found = streamArray(body, { name: requestName, path: ['Report_Entry'], numbers: 'text', judge: client.judge });
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
  const end = tally.end({
    evidence: `the report ended normally, after ${countOf(tally.rows, 'row')}`,
    total: count.total(),
  });
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
  const said = new Map<number | undefined, number>();
  let rows = 0;
  const total = (): number | undefined => [...said].find(([, times]) => times > rows / 2)?.[0];
  return {
    add(row: Readonly<Record<string, unknown>>): void {
      if (column === undefined) return;
      rows += 1;
      const count = countIn(row[column]);
      said.set(count, (said.get(count) ?? 0) + 1);
    },
    doubts(): readonly string[] {
      if (column === undefined || total() !== undefined) return [];
      return [`${column} does not have the same number of rows in most rows, so it proves nothing`];
    },
    total,
  };
}

/** `today` is a plain date, for the status. */
function openRowReader({ columns, status }: RaasConfig, today: string) {
  const unseen = new Set(columns);
  const listed = new Set(columns);
  return {
    /** Listed columns that no row had. */
    neverSeen: () => [...unseen],
    /** Returns the listed columns, null where Workday omitted them, and the derived status. */
    read(row: Fields) {
      for (const column of unseen) if (Object.hasOwn(row, column)) unseen.delete(column);
      const fields: Record<string, unknown> = {};
      for (const column of columns) fields[column] = Object.hasOwn(row, column) ? plainValue(row[column]) : null;
      const said = (column: string): unknown => (listed.has(column) ? fields[column] : undefined);
      fields[statusField] = employmentStatus(
        {
          active: readBoolean(said(status.active)),
          terminated: readBoolean(said(status.terminated)),
          onLeave: readBoolean(said(status.onLeave)),
          hireDate: plainDate(said(status.hireDate)),
          terminationDate: plainDate(said(status.terminationDate)),
        },
        today,
      );
      return fields;
    },
  };
}

/** Names that every record has. */
function reportFields({ columns }: RaasConfig): readonly string[] {
  return [...columns, statusField];
}

/** Listed columns that the status is derived from. */
function statusColumns({ columns, status }: RaasConfig): readonly string[] {
  return Object.values(status).filter((column) => columns.includes(column));
}

/** `2025-03-17-08:00` is Workday's form of a date. Instants and other texts stay unchanged. Blank is empty. */
function plainValue(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return null;
  return /^\d{4}-\d{2}-\d{2}(?:Z|[+-]\d{2}:\d{2})?$/.test(value) ? plainDate(value) : value;
}
