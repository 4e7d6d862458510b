import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type AccessRole, grantWords } from '../../core/guard/access.ts';
import type { Logger } from '../../ports/runtime.ts';
import { hashOf } from '../http/access.ts';
import { readCookie } from '../http/sessions.ts';
import type { SignIn, SignInLinks } from '../server-parts.ts';
import type { ServerSettings } from '../settings.ts';
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

/** Serves the address that signs in once. It answers with a redirect. */
export function serveSignInLinks(
  app: FastifyInstance,
  {
    links,
    cookies,
    note,
    refused,
    onTaken,
  }: Pick<SignIn, 'cookies' | 'note' | 'refused'> & {
    readonly links: SignInLinks;
    readonly onTaken: () => void;
  },
): void {
  app.get('/auth/link', async (request, reply) => {
    const { code } = request.query as { code?: unknown };
    const known = typeof code === 'string' ? links.take(code) : undefined;
    if (known === undefined) {
      await refused(request.ip, 'with a link that was used before, or is none');
      return toPage('link', reply);
    }
    const { name, access, hash } = known;
    const { cookie } = await cookies.open({ name, access, groups: [], method: 'token', token: hash });
    await note('sign-in', name, `as ${access.map(grantWords).join('; ')}, with the link of the terminal`);
    onTaken();
    return reply.header('set-cookie', cookie).redirect('/', 302);
  });
}

/** Opens the links of one process. Nothing of them is stored: a session that they open ends with the process. */
export function openSignInLinks(role: AccessRole): { readonly links: SignInLinks; readonly token: LinkToken } {
  const token = { name: 'link', role, token: randomBytes(32).toString('base64url') };
  const known = { name: token.name, access: [{ role }], hash: hashOf(token.token) };
  let code = randomBytes(24).toString('base64url');
  return {
    token,
    links: {
      path: () => `/auth/link?code=${code}`,
      take(given) {
        if (!timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(hashOf(code)))) return undefined;
        code = randomBytes(24).toString('base64url');
        return known;
      },
    },
  };
}

type LinkToken = ServerSettings['tokens'][number];

function toPage(problem: SignInProblem | 'link', reply: FastifyReply): FastifyReply {
  return reply.redirect(`/sign-in?problem=${problem}`, 302);
}
