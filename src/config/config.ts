import type { Dialect, Limits, SyncSettings } from '../core/settings.ts';
import type { ChannelSettings } from '../ports/alerts.ts';
import type { RedisSettings } from '../ports/redis.ts';
import type { Source, SourceBase } from '../ports/source.ts';
import type { Secret } from './secret.ts';

/** A complete configuration, checked and with defaults. Safe to print: secrets show as `[secret]`. */
export interface Config {
  /** The file as the caller named it. */
  readonly path: string;
  /** Its folder, absolute. Relative paths in the file are resolved from it. */
  readonly folder: string;
  /** `sqlite:` and a path, which may be relative to `folder`, or a `postgres:` url, which may hold a password. */
  readonly store: string;
  /** 32 bytes in base64; present whenever a connection keeps tokens in the store. */
  readonly encryptionKey?: Secret;
  /** Keys that opened the store before, newest first. */
  readonly formerEncryptionKeys: readonly Secret[];
  readonly retention: RetentionSettings;
  readonly workers: WorkerSettings;
  /** Present: jobs run through a queue in Redis, and several processes share the work. */
  readonly redis?: RedisSettings;
  readonly connections: Readonly<Record<string, ConnectionSettings>>;
  readonly syncs: Readonly<Record<string, SyncConfig>>;
  /** Present: `start` serves HTTP. */
  readonly server?: ServerConfig;
  /** The name of this deployment in alerts. */
  readonly deployment: string;
  /** The address of a trace, with `{traceId}` in it. */
  readonly traceUrl?: string;
  /** Alert channels. Empty: no alerts are sent. */
  readonly alerts: readonly ChannelSettings[];
  readonly log: LogSettings;
}

/** How long the store keeps what, in ms. */
export interface RetentionSettings {
  readonly runs: number;
  readonly audit: number;
  readonly ledgerOfGone: number;
}

/** What one process takes on. */
export interface WorkerSettings {
  /** Jobs of the queue at a time. */
  readonly concurrency: number;
  /** Duration of a job's lock in the queue, and of a run's lease. */
  readonly lockMs: number;
  /** Maximum number of PostgreSQL connections. */
  readonly storeConnections: number;
}

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

export interface ServerConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Without a trailing slash. Absent: alerts have no links. */
  readonly publicUrl?: string;
  readonly tokens: readonly {
    readonly name: string;
    readonly role: 'viewer' | 'operator' | 'admin';
    readonly token: Secret;
  }[];
  /** Present: users sign in at this identity provider. */
  readonly openId?: OpenIdConfig;
  readonly sessions: { readonly idleMs: number; readonly lifetimeMs: number };
  /** By sync name. */
  readonly webhooks: Readonly<Record<string, { readonly secret: Secret }>>;
  readonly requestsPerMinute: number;
}

/** An OpenID Connect provider, and which of its groups have which role. */
export interface OpenIdConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client, which proves itself by PKCE only. */
  readonly clientSecret?: Secret;
  readonly scopes: readonly string[];
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** `*`: every user of the provider. */
  readonly roles: Readonly<Record<'viewer' | 'operator' | 'admin', readonly string[]>>;
  readonly label: string;
}

export interface ConnectionSettings {
  readonly name: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly applicationToken?: Secret;
  /** The first refresh token; later ones are kept in the store. Never together with `accessToken`. */
  readonly refreshToken?: Secret;
  /** A fixed token that is never refreshed. */
  readonly accessToken?: Secret;
  /** Address of an HTTP proxy, or `none`. Absent: the proxies of the environment. */
  readonly proxy?: Secret;
  /** Certificates to trust besides the public ones, as PEM text. */
  readonly ca?: string;
  readonly limits: Limits;
  readonly dialect: Dialect;
}

/** One sync: the settings of the engine, its schedule, its source and its outbox. */
export type SyncConfig = SyncSettings & {
  readonly schedule?: ScheduleSettings;
  /** Maximum age of the last success before an alert. Absent: three slots of the schedule without a success. */
  readonly freshnessMs?: number;
  readonly source: SourceSettings;
  /** Present with `delivery: outbox`; the folder is absolute. */
  readonly outbox?: { readonly folder: string };
};

export interface ScheduleSettings {
  /** Five fields, as node-cron reads them. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
}

export interface SourceSettings {
  readonly kind: string;
  /** Changes with the keys below `source`. Too short to confirm a guess at a secret. */
  readonly fingerprint: string;
  readonly open: (base: SourceBase) => Source;
}
