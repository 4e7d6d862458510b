import type { Dialect, Limits, SyncSettings } from '../core/run/settings.ts';
import type { Source, SourceBase } from '../ports/source.ts';
import type { Secret } from './secret.ts';
import type { RootSettings } from './sections/root.ts';

/** A complete configuration, checked and with defaults. Safe to print: secrets show as `[secret]`. */
export interface Config extends RootSettings {
  /** The file as the caller named it. */
  readonly path: string;
  /** Its folder, absolute. Relative paths in the file are resolved from it. */
  readonly folder: string;
  /** What lies in plain text, and what to do about it, in sentences without any secret. */
  readonly plainText: readonly string[];
  readonly connections: Readonly<Record<string, ConnectionSettings>>;
  readonly syncs: Readonly<Record<string, SyncConfig>>;
  /** Returns the mapping of a sync as YAML, without the values of its references. */
  mappingOf(sync: string): string;
  /** Reads the file again with another mapping (YAML) of a sync. Throws `ConfigError` with every problem. */
  withMapping(sync: string, mapping: string): Promise<Config>;
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
  /** The keys of the dialect that the file states, as paths: `csv.emptyCell`. */
  readonly writtenDialect: readonly string[];
}

/** One sync: the settings of the engine, its schedule, its source and its outbox. */
export type SyncConfig = SyncSettings & {
  readonly schedule?: ScheduleSettings;
  /** Windows without disables and removes. */
  readonly freeze?: ScheduleSettings & { readonly forMs: number };
  /** The name under which the store may still keep what belongs to this sync. */
  readonly formerly?: string;
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
  /** Changes with the keys below `source` that decide which people it shows: not with credentials and limits. */
  readonly identity: string;
  readonly open: (base: SourceBase) => Source;
}
