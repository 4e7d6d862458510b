import { z } from 'zod';
import { RollcallError } from '../../core/run/errors.ts';
import type { TokenRecord } from '../../ports/token-store.ts';

const absentText = z.string().optional();
const absentTime = z.number().optional();

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
export type Content = z.infer<typeof Content>;

export const emptyContent: Content = { format: 1, fence: 0 };

/** Parses the text of a document. Throws `STORE_INVALID` for any other text. */
export function parseContent(text: string): Content {
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
export function renderContent(content: Content, room?: string): string {
  return `${JSON.stringify(room === undefined ? content : { ...content, room })}\n`;
}

export function recordOf({ tokens }: Content, connection: string): TokenRecord | undefined {
  if (tokens === undefined) return undefined;
  return {
    connection,
    generation: tokens.generation,
    state: tokens.state,
    accessSealed: tokens.accessSealed,
    refreshSealed: tokens.refreshSealed,
    issuedAt: tokens.issuedAt,
    expiresAt: tokens.expiresAt,
    seedHash: tokens.seedHash,
    usedSeeds: tokens.usedSeeds,
    triedSeeds: tokens.triedSeeds,
    refreshStartedAt: tokens.refreshStartedAt,
    attempts: tokens.attempts,
    retryAt: tokens.retryAt,
    reason: tokens.reason,
    restored: undefined,
  };
}

export function tokensOf({ connection: _, restored: _restored, usedSeeds, triedSeeds, ...record }: TokenRecord) {
  return { ...record, usedSeeds: [...usedSeeds], triedSeeds: [...triedSeeds] };
}
