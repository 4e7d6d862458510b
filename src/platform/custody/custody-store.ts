import { describeError, RollcallError } from '../../core/run/errors.ts';
import type { Leases } from '../../ports/leases.ts';
import type { TokenRecord, TokenStore } from '../../ports/token-store.ts';
import type { CustodyDocument, TokenCustody } from './custody.ts';
import { type Content, emptyContent, parseContent, recordOf, renderContent, tokensOf } from './custody-document.ts';

/** What the token manager needs of a store, over a custody. */
export interface CustodyStore {
  readonly tokens: TokenStore;
  readonly leases: Pick<Leases, 'take' | 'release'>;
}

/** Another process wrote in between: at most a few at once, because a write takes milliseconds. */
const maxTries = 50;

/** A change of the document. Undefined: the change is no longer wanted, and nothing is written. */
type Change = (content: Content) => { readonly content: Content; readonly room?: string } | undefined;

/** Opens the token store and the lease of one connection over its custody. Both are in one document. */
export function openCustodyStore(custody: TokenCustody): CustodyStore {
  const read = async (): Promise<{ readonly seen: CustodyDocument | undefined; readonly content: Content }> => {
    const seen = await guarded('read', () => custody.read());
    return { seen, content: seen === undefined ? emptyContent : parseContent(seen.text) };
  };
  /** Returns whether the change was made. */
  const change = async (by: Change): Promise<boolean> => {
    for (let tried = 0; tried < maxTries; tried++) {
      const { seen, content } = await read();
      const made = by(content);
      if (made === undefined) return false;
      const next = { version: (seen?.version ?? 0) + 1, text: renderContent(made.content, made.room) };
      if (await guarded('write', () => custody.replace(seen?.version, next))) return true;
    }
    const message =
      'the token custody refused every write, as if other processes wrote all the time. Check its `replace`.';
    throw new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff' });
  };
  return {
    tokens: {
      get: async (connection) => recordOf((await read()).content, connection),
      replace: (seen, next, room) =>
        change((content) => {
          if (!isSame(recordOf(content, next.connection), seen)) return undefined;
          return { content: { ...content, tokens: tokensOf(next) }, ...(room === undefined ? {} : { room }) };
        }),
    },
    leases: {
      async take(name, owner, ttlMs, now) {
        let fence = 0;
        const isTaken = await change((content) => {
          if (content.lease !== undefined && content.lease.until > now) return undefined;
          fence = content.fence + 1;
          return { content: { ...content, fence, lease: { owner, until: now + ttlMs } } };
        });
        return isTaken ? { name, owner, fence } : undefined;
      },
      async release({ owner, fence }) {
        await change((content) => {
          if (content.lease?.owner !== owner || content.fence !== fence) return undefined;
          const { lease: _released, ...rest } = content;
          return { content: rest };
        });
      },
    },
  };
}

function isSame(stored: TokenRecord | undefined, seen: TokenRecord | undefined): boolean {
  return (
    stored?.generation === seen?.generation &&
    stored?.state === seen?.state &&
    stored?.refreshStartedAt === seen?.refreshStartedAt
  );
}

/** Turns an error of the custody into ours. Quotes nothing of it. */
async function guarded<T>(verb: 'read' | 'write', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RollcallError) throw cause;
    const message = `the token custody cannot ${verb}: ${describeError(cause)}. No refresh token was presented after that.`;
    throw new RollcallError(message, { code: 'STORE_INVALID', retry: 'backoff', cause });
  }
}
