import type { NewHold, Store } from '../../src/ports/store.ts';
import { openRun, renewHolds, sampleChange } from '../contracts/store-samples.ts';

const firstNames = ['Ana', 'Luis', 'María', 'José', 'Lucía', 'Pedro', 'Sofía', 'Martín', 'Elena', 'Diego'];
const lastNames = ['Pérez', 'Gómez', 'Ñúñez', 'Díaz', 'Rodríguez', 'López', 'Fernández', 'Suárez', 'Álvarez', 'Castro'];
export const areas = ['Sales', 'Operations', 'Finance', 'People', 'Technology', 'Legal', 'Marketing'];
export const offices = ['Córdoba', 'Montevideo', 'Salta', 'Bogotá', 'Lima', 'Santiago'];
const dayMs = 86_400_000;
/** So many changes are written at once. */
const chunkSize = 5000;

export interface HeldCrowd {
  readonly run: string;
  readonly hold: string;
}

export const nameOfPerson = (i: number): string =>
  `${firstNames[i % firstNames.length]} ${lastNames[Math.floor(i / 10) % lastNames.length]}`;
export const idOfPerson = (i: number): string => `E${String(i + 1).padStart(6, '0')}`;

/** Writes a run that held `count` disables of people with names, as a run of that size would, through the store's own methods. */
export async function holdCrowd(store: Store, count: number, now: number): Promise<HeldCrowd> {
  const id = `run_crowd_${count}`;
  const owned = await openRun(store, { id, now });
  const changes = Array.from({ length: count }, (_, i) => {
    const [firstName = '', lastName = ''] = nameOfPerson(i).split(' ');
    return sampleChange(idOfPerson(i), 'disable', {
      before: {
        userId: String(100_000 + i),
        enabled: true,
        fields: {
          firstName,
          lastName,
          email: `person${i + 1}@example.com`,
          area: areas[i % areas.length] ?? '',
          office: offices[i % offices.length] ?? '',
        },
      },
      reason: `left on 2026-11-${String((i % 12) + 1).padStart(2, '0')}`,
    });
  });
  const reason = `${count.toLocaleString('en-US')} disables: up to 14 in 24 hours need no approval, and 13 already passed (${(count * 2).toLocaleString('en-US')} enabled managed users)`;
  await store.plans.begin(owned, { id, sync: 'people', run: id, madeAt: now });
  for (let i = 0; i < changes.length; i += chunkSize) await store.plans.add(owned, id, changes.slice(i, i + chunkSize));
  await store.plans.hold(owned, id, ['disables'], reason);
  await store.plans.seal(owned, id, 'c'.repeat(64));
  await store.decisions.record(owned, id, { now, expiresAt: now + dayMs });
  const hold: NewHold = {
    ...{ id: `hold_crowd_${count}`, sync: 'people', run: id, class: 'disables' as const, reason },
    ...{
      digest: 'd'.repeat(64),
      heldAt: now,
      expiresAt: now + dayMs,
      state: 'open' as const,
    },
  };
  await renewHolds(store, owned, [hold], now);
  await store.runs.update(owned, { phase: 'done', endedAt: now + 4000, outcome: 'held', reason });
  await store.leases.release(owned.lease);
  return { run: id, hold: hold.id };
}
