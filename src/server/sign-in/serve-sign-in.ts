import type { FastifyInstance, FastifyReply } from 'fastify';
import { describeError } from '../../core/run/errors.ts';
import type { Logger } from '../../ports/runtime.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { type CookieSessions, readCookie } from '../http/sessions.ts';
import { answerWithinMs, type OpenId, SignInFailure, type SignInProblem } from './open-id.ts';

export interface SignInIo {
  readonly openId: OpenId;
  readonly cookies: CookieSessions;
  readonly isSecure: boolean;
  /** Limits requests without a session. */
  readonly limit: RateLimit;
  readonly note: NoteSignIn;
  readonly logger: Pick<Logger, 'warn'>;
}

export type NoteSignIn = (action: 'sign-in' | 'sign-out', by: string, detail?: string) => Promise<void>;

const stateCookie = 'rollcall_sign_in';

/** Serves the addresses of a browser that signs in at an identity provider. They answer with redirects. */
export function serveSignIn(app: FastifyInstance, io: SignInIo): void {
  const { openId, cookies, isSecure, limit, note, logger } = io;
  // The provider's redirect comes from another site, which Strict would not give the cookie.
  const keep = (state: string, seconds: number): string =>
    `${stateCookie}=${state}; Path=/auth; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

  app.get('/auth/sign-in', async (request, reply) => {
    limit.spend('(signing in)');
    const { to } = request.query as { to?: unknown };
    try {
      const { location, state } = await openId.begin(pathOf(to));
      return reply.header('set-cookie', keep(state, answerWithinMs / 1000)).redirect(location, 302);
    } catch (error) {
      logger.warn({ error: describeError(error) }, 'the identity provider cannot be reached');
      return toPage('failed', reply);
    }
  });

  app.get('/auth/callback', async (request, reply) => {
    limit.spend('(signing in)');
    const query = request.url.split('?')[1] ?? '';
    reply.header('set-cookie', keep('', 0));
    try {
      const user = await openId.finish(query, readCookie(request.headers.cookie, stateCookie));
      const { caller, cookie } = await cookies.open({ ...user, method: 'openid', token: undefined });
      await note('sign-in', caller.name, `as ${caller.role}`);
      return reply.header('set-cookie', cookie).redirect(user.target, 302);
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      return toPage(error.problem, reply);
    }
  });
}

function toPage(problem: SignInProblem, reply: FastifyReply): FastifyReply {
  return reply.redirect(`/sign-in?problem=${problem}`, 302);
}

/** Returns a path of this server: a link must not send a user who signs in to another site. */
function pathOf(to: unknown): string {
  if (typeof to !== 'string' || to.length > 500 || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to)) return '/';
  const url = new URL(to, 'http://here.invalid');
  return url.host === 'here.invalid' ? `${url.pathname}${url.search}${url.hash}` : '/';
}
