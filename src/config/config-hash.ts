import { createHash } from 'node:crypto';
import type { SyncSettings } from '../core/run/settings.ts';

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
