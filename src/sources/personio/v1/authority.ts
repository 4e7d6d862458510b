import { z } from 'zod';
import { exactValue, readJson } from '../../../drivers/http/json-text.ts';
import type { SourceBase } from '../../../ports/source.ts';
import { type Authority, bearerAuthority } from '../../kit/http/authority.ts';
import { openHeldTokens } from '../../kit/http/client-credentials.ts';
import { postForToken, type TokenAnswer, tokenFailureOf } from '../../kit/http/oauth.ts';
import type { V1Config } from '../schema.ts';

const Granted = z.looseObject({ data: z.looseObject({ token: z.string().min(1) }) });

/** Lifetime of current tokens. A token of older credentials is valid for one request. */
const tokenLifeMs = 24 * 60 * 60 * 1000;

/**
 * Manages the tokens of `POST /v1/auth`. An answer may return the token for the next request in a header, and may
 * have invalidated the current one. So the token of the last answer is always the one to send.
 */
export function openV1Authority(config: V1Config, { egress }: Pick<SourceBase, 'egress'>): Authority {
  const { url, clientId, clientSecret, limits, tls } = config;
  const tokenUrl = `${url.replace(/\/$/, '')}/v1/auth`;
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const body = { kind: 'json', value: { client_id: clientId, client_secret: clientSecret } } as const;
  const call = { tokenUrl, headers, body, timeoutMs: limits.timeout, tls, egress };
  const first = bearerAuthority(openHeldTokens(tokenUrl, (signal) => postForToken(call, readToken, signal)));
  let followed: { readonly authorization: string; readonly generation: number } | undefined;
  return {
    ...first,
    async credential(clock, signal, target) {
      const credential = await first.credential(clock, signal, target);
      if (followed === undefined || followed.generation !== credential.generation) return credential;
      return { ...credential, headers: { authorization: followed.authorization } };
    },
    accepted({ header }, { generation }) {
      const authorization = header('authorization') ?? '';
      if (generation !== undefined && /^Bearer \S+$/i.test(authorization)) followed = { authorization, generation };
    },
  };
}

function readToken(status: number, bytes: Uint8Array): TokenAnswer {
  const failure = tokenFailureOf(status, bytes);
  if (failure !== undefined) return failure;
  const granted = Granted.safeParse(exactValue(readJson(bytes)));
  if (!granted.success) return { kind: 'lost', reason: `its answer (${status}) holds no token` };
  const accessToken = granted.data.data.token;
  return { kind: 'granted', accessToken, refreshToken: undefined, lifeMs: tokenLifeMs, oddities: [] };
}
