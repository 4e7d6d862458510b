import { CookieAnswer, defineEndpoint } from '../endpoint.ts';
import { callerOfToken } from '../http/access.ts';
import { session, sessionEnd, sessionOrder, sessionView } from '../schemas/session.ts';

export const showSession = defineEndpoint({
  id: 'show-session',
  method: 'GET',
  path: '/api/session',
  part: 'session',
  summary: 'Who is signed in, with which rights, and how to sign in',
  description: 'Answers 200 also without a session.',
  needs: 'none',
  answer: session,
  handle: async ({ visitor }, { settings }) => sessionView(visitor, settings),
});

export const openSession = defineEndpoint({
  id: 'open-session',
  method: 'POST',
  path: '/api/session',
  part: 'session',
  summary: 'Sign in with an API token; sets a cookie, so that a page need not keep the token',
  needs: 'none',
  body: sessionOrder,
  answer: session,
  refusals: [400, 401, 403],
  handle: async ({ body: { token } }, { settings, signIn }) => {
    const { name, role } = callerOfToken(`Bearer ${token}`, signIn.tokens);
    const known = signIn.tokens.find(token);
    const { caller, cookie } = await signIn.cookies.open({ name, role, method: 'token', token: known?.hash });
    await signIn.note('sign-in', name, `as ${role}, with a token`);
    return new CookieAnswer(sessionView(caller, settings), cookie);
  },
});

export const endSession = defineEndpoint({
  id: 'end-session',
  method: 'POST',
  path: '/api/session/end',
  part: 'session',
  summary: 'Sign out',
  needs: 'none',
  answer: sessionEnd,
  refusals: [403],
  handle: async ({ visitor }, { signIn }) => {
    const cookie = await signIn.cookies.close(visitor?.session);
    if (visitor?.session !== undefined) await signIn.note('sign-out', visitor.name);
    const location = visitor?.session?.method === 'openid' ? await signIn.openId?.endAddress() : undefined;
    return new CookieAnswer({ location: location ?? null }, cookie);
  },
});
