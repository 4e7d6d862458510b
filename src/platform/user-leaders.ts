import type { Leaders } from '../core/person/fields.ts';
import { normalText } from '../core/person/text.ts';
import { PlatformError } from '../core/run/errors.ts';
import { AnswerInvalid, isRecord } from '../drivers/http/json-text.ts';
import type { LeadersLookup } from '../ports/platform.ts';
import { contractCall, jsonBody } from './client/calls.ts';
import type { PlatformClient } from './client/client.ts';
import { refuseToSend } from './client/errors.ts';
import { nothing } from './client/operation.ts';
import { operationOf } from './table/operations.ts';
import { searchUsers } from './user-search.ts';

/** Leaders per page. A platform with smaller pages returns fewer, and the next page continues behind them. */
const pageSize = 100;

/** More leaders of one user than any community has. */
const maxPages = 20;

/** Statuses with which the platform refuses one list. Others, such as 429 and 503, are trouble of the connection. */
const refusals: readonly number[] = [400, 401, 403, 404, 406];

/**
 * Reads the leaders of a user, page by page from 1. The list is proven when as many different leaders were read as every
 * page reports in `totalElements`, and each is shown as main or as secondary leader, at most one as main leader.
 */
export async function readLeaders(
  client: PlatformClient,
  identification: string,
  signal: AbortSignal,
): Promise<LeadersLookup> {
  try {
    return await readPages((page) => readPage(client, { identification, page }, signal));
  } catch (error) {
    const reason = error instanceof PlatformError ? reasonOf(error) : undefined;
    if (reason === undefined) throw error;
    return { found: 'unclear', reason };
  }
}

/** Adds or removes leaders. Throws `PLATFORM_REFUSED` (effect `none`) when none is named. */
export async function changeLeaders(
  client: PlatformClient,
  id: 'add-leaders' | 'remove-leaders',
  { identification, leaders }: { readonly identification: string; readonly leaders: Partial<Leaders> },
  signal: AbortSignal,
): Promise<void> {
  const { main, secondary = [] } = leaders;
  if (main === undefined && secondary.length === 0) throw refuseToSend(operationOf(id), 'it names no leader.');
  const body = jsonBody({
    collaboratorIdentification: identification,
    ...(main === undefined ? {} : { mainLeaderIdentification: main }),
    ...(secondary.length === 0 ? {} : { secondaryLeadersIdentifications: secondary }),
  });
  await client.request(contractCall(id, { body, answer: nothing }), signal);
}

type LeaderRow = ReturnType<typeof rowOf>;

interface LeaderPage {
  readonly rows: readonly LeaderRow[];
  readonly total: number;
}

async function readPages(read: (page: number) => Promise<LeaderPage>): Promise<LeadersLookup> {
  const seen = new Map<string, LeaderRow>();
  let rows = 0;
  let total: number | undefined;
  for (let page = 1; page <= maxPages; page++) {
    const found = await read(page);
    total ??= found.total;
    if (found.total !== total) return unclear('the number of leaders changed while the list was read');
    for (const row of found.rows) {
      const other = seen.get(row.identification);
      // Two records with other roles are one leader with both. The same record again may hide another one.
      if (other?.isMain === row.isMain && other.isSecondary === row.isSecondary)
        return unclear('a leader is listed twice');
      const isMain = row.isMain || other?.isMain === true;
      seen.set(row.identification, { ...row, isMain, isSecondary: row.isSecondary || other?.isSecondary === true });
    }
    rows += found.rows.length;
    // The total may count leaders or records.
    if (seen.size > total) break;
    if (rows === total || seen.size === total) return leadersOf([...seen.values()]);
    if (found.rows.length === 0) break;
  }
  return unclear(`${seen.size} leaders are listed, but the total says ${total}`);
}

function leadersOf(rows: readonly LeaderRow[]): LeadersLookup {
  const main = rows.filter(({ isMain }) => isMain);
  if (main.length > 1) return unclear(`${main.length} main leaders are listed`);
  if (rows.some(({ isMain, isSecondary }) => !isMain && !isSecondary)) {
    return unclear('a leader is listed neither as main nor as secondary leader');
  }
  const secondary = rows.filter(({ isSecondary }) => isSecondary).map(({ identification }) => identification);
  return { found: 'complete', leaders: { main: main[0]?.identification, secondary: secondary.toSorted() } };
}

/**
 * Reads one page. A 401 here may be a permission, because only `/os-api` proves a token (contract, "Authentication"). So
 * a user search tests the token, and renews it where it was refused, before the page is read again.
 */
async function readPage(
  client: PlatformClient,
  { identification, page }: { readonly identification: string; readonly page: number },
  signal: AbortSignal,
): Promise<LeaderPage> {
  const call = contractCall<LeaderPage>('leaders', {
    params: { identification },
    query: { pageNumber: page, pageSize },
    finalStatuses: refusals,
    answer: { expects: 'json', read: ({ value }) => pageOf(value) },
  });
  try {
    return await client.request(call, signal);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 401) throw error;
    await searchUsers(client, { page: 0, size: 1 }, signal, 'leaders');
    return client.request(call, signal);
  }
}

function pageOf(body: unknown): LeaderPage {
  if (!isRecord(body) || !Array.isArray(body.result)) throw new AnswerInvalid('`result` is not a list');
  const total = isRecord(body.page) ? body.page.totalElements : undefined;
  if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 0) {
    throw new AnswerInvalid('`page.totalElements` is not a count');
  }
  return { rows: body.result.map(rowOf), total };
}

function rowOf(record: unknown, index: number) {
  const identification = isRecord(record) ? record.identification : undefined;
  if (!isRecord(record) || typeof identification !== 'string' || normalText(identification) === '') {
    throw new AnswerInvalid(`result.${index} has no identification`);
  }
  const { asMain, asSecondary } = record;
  return {
    identification: normalText(identification),
    isMain: asMain === true,
    isSecondary: asSecondary === true,
  };
}

/** Returns why one list says nothing. Undefined for trouble that is not of this list alone. */
function reasonOf({ code, status }: PlatformError): string | undefined {
  if (code === 'PLATFORM_BUSY') return undefined;
  if (status === 404) return 'the platform does not know this user, or does not offer lists of leaders (404)';
  if (status !== undefined && status >= 400) return `the platform refused the list of leaders (${status})`;
  return code === 'PLATFORM_ANSWER_INVALID' ? 'the list of leaders cannot be read' : undefined;
}

function unclear(reason: string): LeadersLookup {
  return { found: 'unclear', reason };
}
