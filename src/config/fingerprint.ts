import { createHash } from 'node:crypto';
import type { Dialect, SyncSettings } from '../core/run/settings.ts';
import type { SyncConfig } from './config.ts';

/**
 * Returns sha256 (hex) over the settings that decide which changes a plan contains. Equal for equivalent settings: the
 * order of keys and of sets does not matter. Guards, batches, delivery, schedule and `handOver` are not included.
 */
export function configHash(sync: SyncSettings): string {
  const {
    connection,
    policy,
    mapping,
    scope,
    prefer,
    nulls,
    lifecycle,
    missing,
    outOfScope,
    firstSight,
    foreignDisable,
    remove,
    parkEmail,
  } = sync;
  const shaping = {
    connection,
    policy,
    mapping,
    scope,
    prefer,
    nulls: nulls && sorted(nulls),
    missing,
    outOfScope,
    firstSight,
    foreignDisable,
    remove,
    parkEmail,
    lifecycle: lifecycle && { ...lifecycle, active: sorted(lifecycle.active), leaver: sorted(lifecycle.leaver) },
    match: sorted(sync.match),
    protected: sorted(sync.protected),
  };
  return createHash('sha256').update(canonicalJson(shaping)).digest('hex');
}

function sorted(values: readonly string[]): readonly string[] {
  return [...values].sort();
}

/** Returns JSON with sorted keys. A key without a value is left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export interface FingerprintTarget {
  readonly baseUrl: string;
  readonly dialect: Dialect;
}

/**
 * Changes with whatever decides about people: mapping, scope, lifecycle, policy, delivery, source and platform. A delta may
 * only follow a full read of the same fingerprint.
 */
export function fingerprintOf(sync: SyncConfig, { baseUrl, dialect }: FingerprintTarget): string {
  const parts = [configHash(sync), sync.delivery, sync.source.fingerprint, baseUrl, dialect];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/**
 * Returns four characters that change with the keys below `source`, secrets included, because another address may be
 * another tenant. With sixteen bits, one in 65,536 guesses matches, so the store reveals nothing about a password. A
 * change that they miss is noticed by the next full read.
 */
export function sourceFingerprint(written: unknown): string {
  return createHash('sha256').update(canonicalJson(written)).digest('hex').slice(0, 4);
}
