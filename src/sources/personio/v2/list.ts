import { z } from 'zod';
import { RollcallError } from '../../../core/run/errors.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import type { SourceRequest } from '../../kit/http/source-request.ts';

const Listed = z.looseObject({
  _data: z.array(z.looseObject({})),
  _meta: z
    .looseObject({ links: z.looseObject({ next: z.looseObject({ href: z.string().min(1) }).nullish() }).nullish() })
    .nullish(),
});

/** One page of a list of the newer API. `next` is absolute; undefined on the last page. */
export interface ListPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | undefined;
  /** False when the answer has no links at all, so a missing next link proves nothing. */
  readonly hasLinks: boolean;
}

/** Reads one page. Throws SOURCE_UNAVAILABLE when there is no list, because an error may arrive as success. */
export async function readList(client: SourceClient, request: SourceRequest): Promise<ListPage> {
  const listed = Listed.safeParse(await client.json(request));
  if (!listed.success) {
    const message = `${request.name} was answered without the list _data. Check that url is the API of Personio.`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  }
  const links = listed.data._meta?.links ?? undefined;
  const href = links?.next?.href;
  const next = href === undefined ? undefined : resolve(href, request.url);
  return { items: listed.data._data, next, hasLinks: links !== undefined };
}

/** An invalid address stays unchanged; the client reports that it leads elsewhere. */
function resolve(href: string, from: string): string {
  return URL.canParse(href, from) ? new URL(href, from).href : href;
}
