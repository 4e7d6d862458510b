import { z } from 'zod';
import { endSessions, listSessions } from '../../app/audit.ts';
import { accessRoles, grantWords, highestRole, obstacleTo } from '../../core/guard/access.ts';
import { openSessionView, sessionList } from '../../views/connections.ts';
import { cancelOrder, sessionOrder } from '../../views/orders.ts';
import { instant, viewOf } from '../../views/wire.ts';
import type { Endpoint } from '../endpoint.ts';
import { CookieAnswer, definerOf } from '../endpoint.ts';
import type { Caller } from '../http/access.ts';
import { Refusal } from '../http/problem.ts';
import { sessionOf } from '../http/sessions.ts';
import { needsOf } from '../needs.ts';
import type { EndpointParts } from '../server-parts.ts';
import { signatureOf, word } from './parameters.ts';

const define = definerOf('session');

/** What a page shows or leaves out, each by an operation that needs it. */
const rights = {
  read: 'list-syncs',
  people: 'search-people',
  audit: 'list-audit',
  act: 'pause-sync',
  decide: 'approve-run',
  raw: 'list-raw-texts',
  samples: 'sample-mapping',
  tokens: 'refresh-token',
  sessions: 'list-sessions',
} as const;

type Right = keyof typeof rights;
const rightNames = Object.keys(rights) as [Right, ...Right[]];

export const session = z
  .object({
    isSignedIn: z.boolean(),
    name: z.string().nullable().describe('The identity, as the audit has it'),
    label: z.string().nullable().describe('The name that the identity provider shows for the user'),
    role: z.enum(accessRoles).nullable().describe('The highest role that the caller has anywhere'),
    rights: z
      .array(z.enum(rightNames))
      .describe(
        'What the caller may do in some sync. read: states; people: personal data; audit; act: pause, run, cancel, preview, acknowledge; decide: approve, reject, undo, adopt; raw: raw answers of other systems; samples: values of the source; tokens: refresh and revoke; sessions: list and end those of others',
      ),
    bySync: z.record(z.string(), z.array(z.enum(rightNames))).describe('The rights in each sync that the caller sees'),
    method: z.enum(['openid', 'token', 'bearer']).nullable(),
    csrf: z.string().nullable().describe('Send it as X-CSRF-Token with every POST of a session'),
    expiresAt: instant.nullable(),
    idleAt: instant.nullable().describe('End of the session without further activity'),
    signIn: z.object({
      openId: z.string().nullable().describe('The name of the identity provider: go to /auth/sign-in?to=PATH'),
      token: z.boolean().describe('Whether an API token can sign in: POST /api/session'),
      link: z.boolean().describe('Whether rollcall start prints a link that signs in once'),
    }),
  })
  .meta({ id: 'Session' });

export const sessionEnd = z
  .object({
    location: z.string().nullable().describe('Address at which the browser ends the session of the provider'),
  })
  .meta({ id: 'SessionEnd' });

const sessionView = viewOf(
  session,
  (
    caller: Caller | undefined,
    { settings: { openId, tokens, signInLink }, app }: Pick<EndpointParts, 'settings' | 'app'>,
  ) => ({
    isSignedIn: caller !== undefined,
    name: caller?.name,
    label: caller?.label,
    role: caller && highestRole(caller.access),
    ...rightsOf(
      caller,
      app.syncs.map(({ name }) => name),
    ),
    method: caller === undefined ? null : (caller.session?.method ?? ('bearer' as const)),
    csrf: caller?.session?.csrf,
    expiresAt: caller?.session?.expiresAt,
    idleAt: caller?.session?.idleAt,
    signIn: { openId: openId?.label, token: tokens.length > 0, link: signInLink !== undefined },
  }),
);

function rightsOf(caller: Caller | undefined, syncs: readonly string[]) {
  const may = (right: Right, sync: string | undefined): boolean => {
    const needs = needsOf(rights[right]);
    return caller !== undefined && typeof needs !== 'string' && obstacleTo(caller.access, needs, sync) === undefined;
  };
  const some = rightNames.filter((right) => [undefined, ...syncs].some((sync) => may(right, sync)));
  const bySync = syncs.map((sync) => [sync, rightNames.filter((right) => may(right, sync))] as const);
  return { rights: some, bySync: Object.fromEntries(bySync.filter(([, its]) => its.length > 0)) };
}

export const sessionEndpoints: readonly Endpoint[] = [
  define({
    id: 'show-session',
    path: '/api/session',
    summary: 'Who is signed in, with which rights, and how to sign in',
    description: 'Answers 200 also without a session.',
    answer: session,
    handle: async ({ visitor }, parts) => sessionView(visitor, parts),
  }),
  define({
    id: 'open-session',
    method: 'POST',
    path: '/api/session',
    summary: 'Sign in with an API token; sets a cookie, so that a page need not keep the token',
    body: sessionOrder,
    answer: session,
    refusals: [400, 401, 403],
    handle: async ({ body: { token }, address }, parts) => {
      const { signIn } = parts;
      const known = signIn.tokens.find(token);
      if (known === undefined) {
        await signIn.refused(address, 'with a token that is not in "server.tokens"');
        throw new Refusal(401, 'TOKEN_UNKNOWN', 'the token is not one of "server.tokens"');
      }
      const { caller, cookie } = await signIn.cookies.open(sessionOf(known));
      await signIn.note('sign-in', caller, `as ${caller.access.map(grantWords).join('; ')}, with a token`);
      return new CookieAnswer(sessionView(caller, parts), cookie);
    },
  }),
  define({
    id: 'end-session',
    method: 'POST',
    path: '/api/session/end',
    summary: 'Sign out',
    answer: sessionEnd,
    refusals: [403],
    handle: async ({ visitor }, { signIn }) => {
      const cookie = await signIn.cookies.close(visitor?.session);
      if (visitor?.session !== undefined) await signIn.note('sign-out', visitor);
      const location = visitor?.session?.method === 'openid' ? await signIn.openId?.endAddress() : undefined;
      return new CookieAnswer({ location: location ?? null }, cookie);
    },
  }),
  define({
    id: 'list-sessions',
    path: '/api/sessions',
    summary: 'Who is signed in to the page',
    answer: sessionList,
    handle: async (_asked, { app }) => ({ sessions: (await listSessions(app)).map(openSessionView) }),
  }),
  define({
    id: 'end-sessions',
    method: 'POST',
    path: '/api/sessions/{name}/end',
    summary: 'End a session, or all sessions of a user; their event streams end with them',
    params: z.object({ name: word(300).describe('Id of the session, or name of the user') }),
    body: cancelOrder,
    answer: sessionList,
    refusals: [400, 404],
    handle: async ({ params, caller, body }, { app }) => {
      return { sessions: (await endSessions(app, params.name, signatureOf(caller, body))).map(openSessionView) };
    },
  }),
];
