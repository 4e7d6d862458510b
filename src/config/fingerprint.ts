import { createHash } from 'node:crypto';
import { type Configuration, canonicalJson, ownDialect, protectedDigest } from '../core/plan/configuration.ts';
import { given } from '../core/run/given.ts';
import { type Dialect, defaultDialect, type SyncSettings } from '../core/run/settings.ts';
import type { ConnectionSettings, SyncConfig } from './config.ts';

/**
 * Returns sha256 (hex) over the settings that decide which changes a plan contains. Equal for equivalent settings: the
 * order of keys and of sets does not matter. Guards, batches, delivery, schedule and `handOver` are not included.
 */
export function configHash(sync: SyncSettings): string {
  return sha256(canonicalJson({ connection: sync.connection, ...shapeOf(sync) }));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function shapeOf(sync: SyncSettings): Configuration['settings'] {
  const { policy, mapping, scope, missing, outOfScope, firstSight, foreignDisable, remove } = sync;
  const { prefer, nulls, lifecycle, parkEmail } = sync;
  return {
    ...{ policy, mapping, scope, missing, outOfScope, firstSight, foreignDisable, remove },
    ...given({ prefer, nulls: nulls && sorted(nulls), parkEmail }),
    lifecycle: lifecycle && { ...lifecycle, active: sorted(lifecycle.active), leaver: sorted(lifecycle.leaver) },
    match: sorted(sync.match),
    protected: sorted(sync.protected),
  };
}

function sorted<Value extends string>(values: readonly Value[]): readonly Value[] {
  return [...values].sort();
}

/** Returns what a sync's baseline stores and is compared with. */
export function configurationOf(sync: SyncConfig, dialect: Dialect): Configuration {
  const shape = shapeOf(sync);
  const settings = { ...shape, protected: shape.protected.map(protectedDigest) };
  const elsewhere = {
    connection: sha256(sync.connection),
    source: sync.source.identity,
    dialect: sha256(canonicalJson(ownDialect(dialect, defaultDialect))),
  };
  return { settings, elsewhere, fingerprint: sha256(canonicalJson({ settings, elsewhere })) };
}

/** Keys below `source` that are credentials, or tell how fast it is read. */
const noIdentity =
  /pass(word|phrase)|secret|^(auth|tls|headers|user(name)?|serviceUser|(access|refresh|session)?token|privateKey|clientId|accessKeyId|limits|timeout|deadline|pageSize|batchSize|proxy)$/i;

/**
 * Returns a digest of the keys below `source` that decide which people it shows: not of credentials, which rotate, nor of
 * limits and page sizes.
 */
export function sourceIdentity(written: unknown): string {
  return sha256(canonicalJson(withoutCredentials(written)));
}

function withoutCredentials(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/(?<=:\/\/)[^/?#]*@/, '');
  if (Array.isArray(value)) return value.map(withoutCredentials);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !noIdentity.test(key));
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutCredentials(part)]));
}

/**
 * Changes with whatever decides about people: mapping, scope, lifecycle, policy, delivery, source and platform. A delta may
 * only follow a full read of the same fingerprint.
 */
export function fingerprintOf(
  sync: SyncConfig,
  { baseUrl, dialect }: Pick<ConnectionSettings, 'baseUrl' | 'dialect'>,
): string {
  const parts = [configHash(sync), sync.delivery, sync.source.fingerprint, baseUrl, dialect];
  return sha256(JSON.stringify(parts)).slice(0, 32);
}

/**
 * Returns four characters that change with the keys below `source`, secrets included, because another address may be
 * another tenant. With sixteen bits, one in 65,536 guesses matches, so the store reveals nothing about a password. A
 * change that they miss is noticed by the next full read.
 */
export function sourceFingerprint(written: unknown): string {
  return sha256(canonicalJson(written)).slice(0, 4);
}
