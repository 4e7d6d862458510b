import { parkingAddress } from '../../core/person/cell.ts';
import type { Case } from '../../core/plan/plan.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { Batch } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { changesOf } from '../seal/batches.ts';

/**
 * Reports the users whom a run has given their parking address, and not their own e-mail afterwards. `batches`: of the
 * run, in order of number.
 */
export async function reportLeftParked(batches: readonly Batch[], io: EngineIo): Promise<Finding[]> {
  const parking = batches.filter(({ isParking }) => isParking === true);
  const ids = new Set<string | undefined>(parking.map(({ id }) => id));
  const findings: Finding[] = [];
  // In order of number, so that a batch comes after the one that it was split from.
  for (const { id, run, parent, isParking } of batches) {
    if (isParking === true || !ids.has(parent)) continue;
    ids.add(id);
    for await (const { identification, state } of changesOf(run, io, { batch: id })) {
      if (state === 'applied' || state === 'unverified') continue;
      const message = 'the account has its parking address (parkEmail): the next run gives it its own e-mail';
      findings.push({ code: 'email-parked', identification, message });
    }
  }
  return findings;
}

/** Reports a user whom an earlier run has left with the parking address. */
export function reportFoundParked({ identification, user, source }: Case, { settings }: Sync): Finding | undefined {
  const shown = user?.fields.email?.toLowerCase();
  // The account of a leaver keeps its parking address.
  if (source.says !== 'active' || settings.parkEmail === undefined || shown === undefined) return undefined;
  if (parkingAddress(settings.parkEmail, identification)?.toLowerCase() !== shown) return undefined;
  const message = 'an earlier run left the account with its parking address (parkEmail)';
  return { code: 'email-parked', identification, message };
}
