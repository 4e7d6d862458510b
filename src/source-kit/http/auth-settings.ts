import { z } from 'zod';
import { HttpUrl } from './settings.ts';

const text = () => z.string().min(1);

const oauth = {
  tokenUrl: HttpUrl.meta({ description: 'Where tokens are issued.' }),
  clientId: text(),
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
    z.strictObject({ kind: z.literal('basic'), username: text(), password: z.string() }),
    z.strictObject({ kind: z.literal('bearer'), token: text() }),
    z.strictObject({
      kind: z.literal('headers'),
      headers: z.record(z.string(), text()).meta({ description: 'Headers that hold keys, by name: `x-api-key`.' }),
    }),
    z.strictObject({ kind: z.literal('client-credentials'), clientSecret: text(), ...oauth }),
    z.strictObject({
      kind: z.literal('refresh-token'),
      clientSecret: text().optional(),
      refreshToken: text().meta({ description: 'The first one; those that follow it are kept in the store, sealed.' }),
      ...oauth,
    }),
  ])
  .meta({ description: 'How Rollcall shows who it is.' });

export type HttpAuth = z.infer<typeof HttpAuth>;
