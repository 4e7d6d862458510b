import { z } from 'zod';
import type { AuditEntry } from '../ports/store.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { SyncView } from './syncs.ts';
import { count, instant, personal, toWire, viewOf } from './wire.ts';

const token = z.object({
  state: z.string(),
  generation: count.nullable(),
  issuedAt: instant.nullable(),
  expiresAt: instant.nullable(),
  attempts: count.describe('Consecutive refreshes that returned no usable token pair'),
  retryAt: instant.nullable().describe('When the refresh token is presented again after such an answer'),
  reason: z.string().nullable(),
  advice: z.string(),
});

export const connection = z
  .object({
    name: z.string(),
    syncs: z.array(z.string()),
    token,
    steps: z.array(z.string()).describe('What to do to authorize the connection again; empty: nothing'),
  })
  .meta({ id: 'Connection' });

export const connectionList = z.object({ connections: z.array(connection) }).meta({ id: 'ConnectionList' });

export const connectionView = viewOf(connection, (status: TokenStatus, syncs: readonly SyncView[]) => ({
  name: status.connection,
  syncs: syncs.filter((sync) => sync.connection === status.connection).map(({ name }) => name),
  token: status,
  steps: stepsOf(status.state, status.connection),
}));

/** Returns what an operator does so that a connection works again. */
function stepsOf(state: string, name: string): readonly string[] {
  const newToken = [
    'Create a new refresh token on the platform.',
    `Set connections.${name}.refreshToken to it, or write it to the file or secret that the key names.`,
    'Restart the processes, or send them SIGHUP: they read the configuration again.',
    `Check the result: rollcall token status ${name}`,
  ];
  switch (state) {
    case 'reauth-required':
      return newToken;
    case 'revoked':
      return [`To use the stored token again: rollcall token refresh ${name}. Otherwise:`, ...newToken];
    case 'restored':
      return [
        'The token comes from a backup. If no other deployment uses it, refresh it by hand.',
        `rollcall token refresh ${name}`,
      ];
    case 'sealed':
      return ['The token is sealed with another key: add that key to formerEncryptionKeys, or:', ...newToken];
    default:
      return [];
  }
}

const auditEntry = z.object({
  id: z.string(),
  at: instant,
  by: z.string().describe('The identity: `user:SUBJECT`, `token:NAME`, `shell:LOGIN`, or a part of Rollcall'),
  label: z
    .string()
    .nullable()
    .describe('The name that the identity provider showed for the user. No rule depends on it'),
  action: z.string(),
  sync: z.string().nullable().describe('null for an entry about a connection'),
  connection: z.string().nullable().describe('The connection of the token; otherwise null'),
  run: z.string().nullable(),
  detail: personal(z.string().nullable()),
  reason: personal(z.string().nullable()).describe('The reason that the person gave'),
  as: z.string().nullable().describe('An additional name from the caller. It is only a note: `by` is the identity'),
});

export const auditPage = z
  .object({ entries: z.array(auditEntry), next: z.string().nullable() })
  .meta({ id: 'AuditPage' });

export const auditEntryView = viewOf(auditEntry, (entry: AuditEntry) => entry);

export const openSession = z
  .object({
    id: z.string().describe('Names the session. It cannot be used to sign in'),
    name: z.string().describe('The identity, as in the audit'),
    label: z.string().nullable().describe('The name that the identity provider showed for the user'),
    groups: z.array(z.string()).describe('The groups of the user at the sign-in'),
    method: z.enum(['openid', 'token']),
    createdAt: instant,
    usedAt: instant.describe('Last activity of the user'),
    expiresAt: instant.describe('End of the session, regardless of activity'),
  })
  .meta({ id: 'OpenSession' });

export const sessionList = z.object({ sessions: z.array(openSession) }).meta({ id: 'SessionList' });

export const openSessionView = toWire(openSession);

export const signingKeyView = toWire(
  z.object({ id: z.string(), at: instant, public: z.string(), isCurrent: z.boolean() }),
);
