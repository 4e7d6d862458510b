import { queryOf, type Responder, type SeenRequest, sendJson } from './local-server.ts';

/** A user as the platform shows it on the wire. */
export interface WireUser {
  readonly id: number;
  readonly identification: string;
  readonly enabled: boolean;
  readonly [member: string]: unknown;
}

/** Users with ids 1 to n, every tenth disabled. */
export function wireUsers(n: number): WireUser[] {
  return Array.from({ length: n }, (_, i) => ({
    id: i + 1,
    identification: `E${i + 1}`,
    enabled: (i + 1) % 10 !== 0,
    firstName: 'Ana',
    lastName: `Gómez ${i + 1}`,
    email: `ana.${i + 1}@example.com`,
    customFields: {},
    office: {},
  }));
}

export interface Search {
  readonly enabled: boolean;
  readonly page: number;
  readonly size: number;
  readonly searchString: string | undefined;
}

/** What a search asked for, from the query, or from the body. */
export function searchOf(request: SeenRequest): Search {
  const body = request.body === '' ? {} : (JSON.parse(request.body) as Record<string, unknown>);
  const value = (name: string): string | undefined => {
    const found = queryOf(request).get(name) ?? body[name];
    return found === undefined ? undefined : String(found);
  };
  return {
    enabled: value('enabled') !== 'false',
    page: Number(value('page') ?? 0),
    size: Number(value('size') ?? 10),
    searchString: value('searchString'),
  };
}

/** A user search as the contract describes it, over a list that may change between calls. */
export function searchResponder(users: () => readonly WireUser[], maxSize = 1000): Responder {
  return (request, response) => {
    const { enabled, page, size, searchString } = searchOf(request);
    const text = searchString?.toLowerCase();
    const found = users()
      .filter((user) => !enabled || user.enabled)
      .filter((user) => text === undefined || user.identification.toLowerCase().includes(text))
      .toSorted((a, b) => a.id - b.id);
    const real = Math.min(size, maxSize);
    const result = found.slice(page * real, (page + 1) * real);
    sendJson(response, 200, { result, page: { totalElements: found.length } });
  };
}
