import type { FastifyInstance, FastifyReply } from 'fastify';
import { grantWords } from '../../core/guard/access.ts';
import type { Logger } from '../../ports/runtime.ts';
import { readCookie } from '../http/sessions.ts';
import type { SignIn } from '../server-parts.ts';
import { answerWithinMs, causeOf, type OpenId, pathOf, SignInFailure, type SignInProblem } from './open-id.ts';

export interface SignInIo extends Pick<SignIn, 'cookies' | 'note' | 'refused'> {
  readonly openId: OpenId;
  readonly isSecure: boolean;
  readonly logger: Pick<Logger, 'warn'>;
}

const stateCookie = 'rollcall_sign_in';

/** Serves the addresses of a browser that signs in at an identity provider. They answer with redirects. */
export function serveSignIn(app: FastifyInstance, io: SignInIo): void {
  const { openId, cookies, isSecure, note, refused, logger } = io;
  // The provider's redirect comes from another site, which Strict would not give the cookie.
  const keep = (pending: string, seconds: number): string =>
    `${stateCookie}=${pending}; Path=/auth; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

  app.get('/auth/sign-in', async (request, reply) => {
    const { to } = request.query as { to?: unknown };
    try {
      const { location, kept } = await openId.begin(pathOf(to));
      return reply.header('set-cookie', keep(kept, answerWithinMs / 1000)).redirect(location, 302);
    } catch (error) {
      logger.warn({ error: causeOf(error) }, 'the identity provider cannot be reached');
      return toPage('failed', reply);
    }
  });

  app.get('/auth/callback', async (request, reply) => {
    const query = request.url.split('?')[1] ?? '';
    reply.header('set-cookie', keep('', 0));
    try {
      const user = await openId.finish(query, readCookie(request.headers.cookie, stateCookie));
      const { caller, cookie } = await cookies.open({ ...user, method: 'openid', token: undefined });
      await note('sign-in', caller.name, `as ${caller.access.map(grantWords).join('; ')}`);
      return reply.header('set-cookie', cookie).redirect(user.target, 302);
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      await refused(request.ip, `by OpenID Connect: ${error.problem}`);
      return toPage(error.problem, reply);
    }
  });
}

function toPage(problem: SignInProblem, reply: FastifyReply): FastifyReply {
  return reply.redirect(`/sign-in?problem=${problem}`, 302);
}
