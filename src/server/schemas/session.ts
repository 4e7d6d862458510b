import { z } from 'zod';
import type { Caller } from '../http/access.ts';
import { hasRole } from '../http/access.ts';
import { instant as instantSchema } from '../schema.ts';
import type { AccessRole, ServerSettings } from '../server-parts.ts';
import { instant } from '../views.ts';

/** What a caller may do, and the role that it needs. */
const rights = {
  read: 'viewer',
  act: 'operator',
  raw: 'operator',
  samples: 'operator',
  tokens: 'admin',
} as const satisfies Record<string, AccessRole>;

type Right = keyof typeof rights;
const rightNames = Object.keys(rights) as [Right, ...Right[]];

export const session = z.object({
  isSignedIn: z.boolean(),
  name: z.string().nullable(),
  role: z.enum(['viewer', 'operator', 'admin']).nullable(),
  rights: z.array(z.enum(rightNames)).meta({
    description:
      'read: every GET; act: pause, run, approve, reject, cancel, preview, acknowledge; raw: raw answers of other systems; samples: values of the source; tokens: refresh and revoke',
  }),
  method: z.enum(['openid', 'token', 'bearer']).nullable(),
  csrf: z.string().nullable().meta({ description: 'Send it as X-CSRF-Token with every POST of a session' }),
  expiresAt: instantSchema.nullable(),
  idleAt: instantSchema.nullable().meta({ description: 'When the session ends if the user does nothing more' }),
  signIn: z.object({
    openId: z
      .string()
      .nullable()
      .meta({ description: 'The name of the identity provider: go to /auth/sign-in?to=PATH' }),
    token: z.boolean().meta({ description: 'Whether an API token can sign in: POST /api/session' }),
  }),
});

export const sessionOrder = z
  .strictObject({ token: z.string().min(1).max(1000) })
  .meta({ description: 'One of server.tokens' });

export const sessionEnd = z.object({
  location: z.string().nullable().meta({ description: 'Where the browser also ends the session of the provider' }),
});

export function sessionView(
  caller: Caller | undefined,
  { openId, tokens }: Pick<ServerSettings, 'openId' | 'tokens'>,
): z.output<typeof session> {
  const found = caller?.session;
  return {
    isSignedIn: caller !== undefined,
    name: caller?.name ?? null,
    role: caller?.role ?? null,
    rights: caller === undefined ? [] : rightNames.filter((right) => hasRole(caller.role, rights[right])),
    method: caller === undefined ? null : (found?.method ?? 'bearer'),
    csrf: found?.csrf ?? null,
    expiresAt: instant(found?.expiresAt),
    idleAt: instant(found?.idleAt),
    signIn: { openId: openId?.label ?? null, token: tokens.length > 0 },
  };
}
