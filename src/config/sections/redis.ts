import { z } from 'zod';
import { given } from '../../core/run/given.ts';
import { must } from '../../core/run/problem-words.ts';
import type { RedisNode, RedisSettings } from '../../ports/redis.ts';
import { makeSecret, type Secret } from '../secret.ts';
import { documented, secretText, text, wholeNumber } from './values.ts';

const defaultRedisPrefix = 'rollcall';
const urlSentence =
  'must be redis://host:6379, or rediss:// for TLS; add user:password@ before the host and /number for the database if needed';
const nodeSentence = 'must be host:port, such as redis-1.example.com:6379';

const prefix = documented(
  z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,40}$/, { error: 'must be 1 to 40 letters, digits, dots, dashes and underscores' })
    .default(defaultRedisPrefix),
  'Prefix of every key. Deployments on different stores that share a Redis need different prefixes.',
  'rollcall-acme',
);

const node = z
  .string({ error: must(nodeSentence) })
  .refine((value) => parseNode(value) !== undefined, { error: nodeSentence })
  .transform((value) => parseNode(value) ?? { host: '', port: 0 });

const url = z
  .string({ error: must(urlSentence) })
  .refine((value) => parseUrl(value) !== undefined, { error: urlSentence });

/** The long form. Exactly one of `url`, `sentinels` and `cluster` gives the address of Redis. */
const redisMapping = z
  .strictObject({
    url: documented(url.optional(), 'One Redis.', 'rediss://redis.example.com:6380'),
    sentinels: documented(z.array(node).min(1).optional(), 'Addresses of the Sentinels. Needs `master`.', [
      'sentinel-1.example.com:26379',
      'sentinel-2.example.com:26379',
    ]),
    master: documented(text().optional(), 'Name of the master at the Sentinels.', 'mymaster'),
    cluster: documented(z.array(node).min(1).optional(), 'Some nodes of the Redis Cluster.', [
      'redis-1.example.com:6379',
    ]),
    username: documented(text().optional(), 'The ACL user.', 'rollcall'),
    password: documented(secretText().optional(), 'Its password.', `\${env:REDIS_PASSWORD}`),
    sentinelUsername: documented(text().optional(), 'The ACL user at the Sentinels.', 'rollcall'),
    sentinelPassword: documented(secretText().optional(), 'Its password.', `\${env:SENTINEL_PASSWORD}`),
    db: documented(wholeNumber(0, 1023).optional(), 'Database number; a cluster has only 0.', 0),
    tls: documented(z.boolean().optional(), 'TLS for Sentinel and Cluster. A `url` uses `rediss:` instead.', true),
    ca: documented(
      z
        .string()
        .regex(/-----BEGIN CERTIFICATE-----/, { error: 'must be a certificate in PEM' })
        .optional(),
      "A certificate in PEM that is trusted instead of the system's.",
      `\${file:redis-ca.pem}`,
    ),
    prefix,
  })
  .superRefine((value, ctx) => {
    const complain = (path: string[], message: string): void => ctx.addIssue({ code: 'custom', path, message });
    const addresses = (['url', 'sentinels', 'cluster'] as const).filter((key) => value[key] !== undefined);
    if (addresses.length !== 1) complain([], 'must have exactly one of url, sentinels and cluster');
    if ((value.sentinels === undefined) !== (value.master === undefined)) {
      complain([value.master === undefined ? 'sentinels' : 'master'], 'is valid only with both sentinels and master');
    }
    if (value.cluster !== undefined && (value.db ?? 0) !== 0) complain(['db'], 'must be 0 with cluster');
    if (value.url !== undefined && value.tls !== undefined) complain(['tls'], 'belongs in the url: write rediss://');
    if (value.url !== undefined && value.db !== undefined) complain(['db'], 'belongs in the url: redis://host/2');
  });

export const redis = documented(
  z
    .union([url, redisMapping])
    .transform((value) =>
      typeof value === 'string' ? fromUrl({ url: value, prefix: defaultRedisPrefix }) : toConfig(value),
    )
    .optional(),
  'Redis, for a deployment of several processes. It distributes the work; the store keeps all state. Absent: jobs run in one process. A URL, or a mapping with one of `url`, `sentinels` and `cluster`.',
  'redis://127.0.0.1:6379',
);

type Mapping = z.output<typeof redisMapping>;

function toConfig(value: Mapping): RedisSettings {
  const { sentinels, master, cluster } = value;
  const access = {
    prefix: value.prefix,
    db: value.db ?? 0,
    ...given({ username: value.username, password: value.password }),
    ...(value.tls === true || value.ca !== undefined ? { tls: value.ca === undefined ? {} : { ca: value.ca } } : {}),
  };
  if (cluster !== undefined) return { kind: 'cluster', nodes: cluster, ...access };
  if (sentinels !== undefined) {
    const { sentinelUsername, sentinelPassword } = value;
    return {
      kind: 'sentinel',
      sentinels,
      master: master ?? '',
      ...given({ sentinelUsername, sentinelPassword }),
      ...access,
    };
  }
  return fromUrl(value);
}

function fromUrl(value: Partial<Mapping> & { readonly prefix: string }): RedisSettings {
  const parsed = parseUrl(value.url ?? '');
  const username = value.username ?? parsed?.username;
  const password = value.password ?? parsed?.password;
  const tls = parsed?.isTls === true ? (value.ca === undefined ? {} : { ca: value.ca }) : undefined;
  return {
    kind: 'single',
    host: parsed?.host ?? '',
    port: parsed?.port ?? 0,
    db: parsed?.db ?? 0,
    prefix: value.prefix,
    ...given({ username, password, tls }),
  };
}

interface ParsedUrl extends RedisNode {
  readonly db: number;
  readonly isTls: boolean;
  readonly username?: string;
  readonly password?: Secret;
}

function parseUrl(value: string): ParsedUrl | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(value);
  const db = /^\/?(\d{0,4})$/.exec(pathname)?.[1];
  if ((protocol !== 'redis:' && protocol !== 'rediss:') || hostname === '' || db === undefined) return undefined;
  if (search !== '' || hash !== '') return undefined;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 6379 : Number(port),
    db: Number(db),
    isTls: protocol === 'rediss:',
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: makeSecret(decodeURIComponent(password)) }),
  };
}

function parseNode(value: string): RedisNode | undefined {
  const found = /^(?:\[(?<v6>[0-9A-Fa-f:]+)\]|(?<host>[A-Za-z0-9._-]+)):(?<port>\d{1,5})$/.exec(value)?.groups;
  const port = Number(found?.port);
  const host = found?.v6 ?? found?.host;
  return host === undefined || !(port >= 1 && port <= 65_535) ? undefined : { host, port };
}
