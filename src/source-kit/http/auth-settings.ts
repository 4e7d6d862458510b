import { z } from 'zod';
import { HttpUrl } from './settings.ts';

const text = () => z.string().min(1);

const oauth = {
  tokenUrl: HttpUrl.meta({ description: 'Where tokens are issued.' }),
  clientId: text().meta({ description: 'What the HR system calls Rollcall.' }),
  scope: text().optional().meta({ description: 'Scopes to ask for, with spaces between them.' }),
  clientAuth: z
    .enum(['basic', 'body'])
    .default('body')
    .meta({ description: 'Where client id and secret go: an Authorization header, or the form (RFC 6749, 2.3.1).' }),
  parameters: z.record(z.string(), z.string()).optional().meta({ description: 'More fields of the form: `audience`.' }),
};

/** `auth` of a source that is reached over HTTP. */
export const HttpAuth = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({
      kind: z.literal('basic'),
      username: text().meta({ description: 'The account to call with.' }),
      password: z.string().meta({ description: 'Its password; empty where an API key is the name.' }),
    }),
    z.strictObject({ kind: z.literal('bearer'), token: text().meta({ description: 'A token that does not change.' }) }),
    z.strictObject({
      kind: z.literal('headers'),
      headers: z.record(z.string(), text()).meta({ description: 'Headers that hold keys, by name: `x-api-key`.' }),
    }),
    z.strictObject({
      kind: z.literal('client-credentials'),
      clientSecret: text().meta({ description: 'The secret that belongs to `clientId`.' }),
      ...oauth,
    }),
    z.strictObject({
      kind: z.literal('refresh-token'),
      clientSecret: text().optional().meta({ description: 'The secret that belongs to `clientId`, where it has one.' }),
      refreshToken: text().meta({ description: 'The first one; those that follow it are kept in the store, sealed.' }),
      ...oauth,
    }),
  ])
  .meta({ description: 'How Rollcall shows who it is.' });

export type HttpAuth = z.infer<typeof HttpAuth>;
