import type { z } from 'zod';
import type { Dialect, Limits, SyncSettings } from '../core/settings.ts';
import type { ChannelSettings } from '../ports/alerts.ts';
import type { RedisSettings } from '../ports/redis.ts';
import type { Source, SourceBase } from '../ports/source.ts';
import type { rootShape } from './schema/root.ts';
import type { ServerConfig } from './schema/server.ts';
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
  /** In ms. */
  readonly retention: z.output<typeof rootShape.retention>;
  readonly workers: z.output<typeof rootShape.workers>;
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
  readonly log: z.output<typeof rootShape.log>;
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
