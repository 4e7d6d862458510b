import { z } from 'zod';
import { HttpUrl, text } from './settings.ts';

const oauth = {
  tokenUrl: HttpUrl.meta({ description: 'Address of the token endpoint.' }),
  clientId: text().meta({ description: 'Client id of Rollcall in the HR system.' }),
  scope: text().optional().meta({ description: 'Scopes to request, separated by spaces.' }),
  clientAuth: z
    .enum(['basic', 'body'])
    .default('body')
    .meta({ description: 'Where client id and secret go: an Authorization header, or the form (RFC 6749, 2.3.1).' }),
  parameters: z.record(z.string(), z.string()).optional().meta({ description: 'Additional form fields: `audience`.' }),
};

/** The section `auth` of a source over HTTP. */
export const HttpAuth = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({
      kind: z.literal('basic'),
      username: text().meta({ description: 'Name of the account.' }),
      password: z.string().meta({ description: 'Password of the account; empty where the name is an API key.' }),
    }),
    z.strictObject({ kind: z.literal('bearer'), token: text().meta({ description: 'A token that does not rotate.' }) }),
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
      refreshToken: text().meta({ description: 'The first refresh token. Later ones are kept in the store, sealed.' }),
      ...oauth,
    }),
  ])
  .meta({ description: 'How Rollcall authenticates.' });

export type HttpAuth = z.infer<typeof HttpAuth>;
