import { z } from 'zod';
import { describeError, RollcallError } from '../../core/run/errors.ts';
import type { Leases, TokenRecord, TokenStore } from '../../ports/store.ts';

/** What a custody stores: one text. Its tokens are sealed (AES-256-GCM); the rest is readable JSON. */
export interface CustodyDocument {
  /** 1 for the first document, and one more with every write. */
  readonly version: number;
  readonly text: string;
}

/**
 * Keeps the rotating tokens of one connection. `openFileCustody` is one; a program may bring its own. Several processes may share one, on the same document. An error of `read` or `replace` becomes `STORE_INVALID`.
 */
export interface TokenCustody {
  /** Returns the newest document. Undefined: nothing was stored yet. */
  read(): Promise<CustodyDocument | undefined>;
  /**
   * Stores `next` if the newest document has the version `seen` (undefined: there is none); else stores nothing and
   * returns false. Compares and writes in one step, also against other processes. Resolves with true only when the
   * document survives a crash of the machine: a refresh token is presented, and its successor is used, only after that.
   */
  replace(seen: number | undefined, next: CustodyDocument): Promise<boolean>;
  /** Called once, after the last use. */
  close(): Promise<void>;
}

/** What the token manager needs of a store, over a custody. */
interface CustodyStore {
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

const absentText = z.string().optional();
const absentTime = z.number().optional();

/** What a document leaves out, because JSON has no undefined. */
const noTokens = {
  ...{ accessSealed: undefined, refreshSealed: undefined, issuedAt: undefined, expiresAt: undefined },
  ...{ seedHash: undefined, refreshStartedAt: undefined, retryAt: undefined, reason: undefined, restored: undefined },
} as const;

const Tokens = z.object({
  generation: z.int(),
  state: z.enum(['ready', 'refreshing', 'reauth-required', 'revoked']),
  accessSealed: absentText,
  refreshSealed: absentText,
  issuedAt: absentTime,
  expiresAt: absentTime,
  seedHash: absentText,
  usedSeeds: z.array(z.string()),
  triedSeeds: z.array(z.string()),
  refreshStartedAt: absentTime,
  attempts: z.int(),
  retryAt: absentTime,
  reason: absentText,
});

/** The text of a document. `lease`: one process presents a refresh token at a time. */
const Content = z.object({
  format: z.literal(1),
  tokens: Tokens.optional(),
  lease: z.object({ owner: z.string(), until: z.number() }).optional(),
  fence: z.int(),
});
type Content = z.infer<typeof Content>;

const emptyContent: Content = { format: 1, fence: 0 };

/** Parses the text of a document. Throws `STORE_INVALID` for any other text. */
function parseContent(text: string): Content {
  try {
    return Content.parse(JSON.parse(text));
  } catch (cause) {
    const message =
      'the stored token document cannot be read: it is damaged, or of a newer version. Restore it, or remove it and give ' +
      'a new first refresh token.';
    throw new RollcallError(message, { code: 'STORE_INVALID', cause });
  }
}

/** `room` is text of the size of the largest answer: the document is only stored where that has space. */
function renderContent(content: Content, room?: string): string {
  return `${JSON.stringify(room === undefined ? content : { ...content, room })}\n`;
}

function recordOf({ tokens }: Content, connection: string): TokenRecord | undefined {
  if (tokens === undefined) return undefined;
  return { ...noTokens, ...tokens, connection };
}

function tokensOf({ connection: _, restored: _restored, usedSeeds, triedSeeds, ...record }: TokenRecord) {
  return { ...record, usedSeeds: [...usedSeeds], triedSeeds: [...triedSeeds] };
}
