import { isRecord, readJson } from '../../drivers/http/json-text.ts';
import type { SourceClient } from '../kit/http/source-client.ts';

/** What a server reports about itself. Undefined where it reports nothing. */
export interface ServerFacts {
  readonly knowsCursors: boolean | undefined;
  readonly knowsFilters: boolean | undefined;
  readonly maxPageSize: number | undefined;
}

/** Statuses of a server without this endpoint, or that hides it. It reports nothing, which is not a fault. */
const silent = [400, 403, 404, 405, 406, 501];

/** Reads `/ServiceProviderConfig` (RFC 7643, 5; `pagination` by RFC 9865, 4). */
export async function readServerFacts(baseUrl: string, client: SourceClient): Promise<ServerFacts> {
  const answer = await client.send({
    name: 'GET /ServiceProviderConfig',
    url: `${baseUrl}/ServiceProviderConfig`,
    headers: { accept: 'application/scim+json, application/json' },
    answers: silent,
  });
  const config = answer.status === 200 ? decode(answer.bytes) : {};
  const pagination = sectionOf(config, 'pagination');
  const { maxPageSize } = pagination;
  return {
    knowsCursors: flagOf(pagination.cursor),
    knowsFilters: flagOf(sectionOf(config, 'filter').supported),
    maxPageSize: typeof maxPageSize === 'number' && maxPageSize >= 1 ? Math.floor(maxPageSize) : undefined,
  };
}

function decode(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const { value } = readJson(bytes);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function sectionOf(config: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const section = config[name];
  return isRecord(section) ? section : {};
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
