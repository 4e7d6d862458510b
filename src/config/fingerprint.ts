import { createHash } from 'node:crypto';
import type { Dialect } from '../core/run/settings.ts';
import type { SyncConfig } from './config.ts';
import { configHash } from './config-hash.ts';

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
