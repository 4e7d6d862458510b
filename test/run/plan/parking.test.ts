import { describe, expect, it } from 'vitest';
import { leaverParking, parkingPlaceOf } from '../../../src/run/decide/parking.ts';
import type { Sync } from '../../../src/run/engine-io.ts';
import { mark } from '../../../src/run/read/people-index.ts';
import { openIndex } from '../open-index.ts';
import { plainSettings } from '../plain-settings.ts';

const email = 'old+leo@acme.test';

/** A leaver `leo`, whose account has the e-mail that `ana` claims. */
function holding(leaver = 'leo') {
  const index = openIndex();
  const [holder, claimant] = [leaver, 'ana'].map((name) => {
    const slot = index.add(name);
    index.name(slot, name);
    return slot;
  }) as [number, number];
  index.set(holder, mark.inSource | mark.leaver);
  index.set(claimant, mark.inSource | mark.active);
  const sync = { settings: { ...plainSettings, parkEmail: 'old+{identification}@acme.test' } } as Sync;
  return { index, sync, holder, claimant, holders: new Map([[holder, claimant]]), isFocused: false };
}

describe('the parking address of a person', () => {
  it('is made from the identification', () => {
    const job = holding();
    expect(parkingPlaceOf(job.holder, job)).toBe(email);
  });

  it('is absent when parkEmail is not configured', () => {
    const job = holding();
    const sync = { settings: { ...plainSettings, parkEmail: undefined } } as unknown as Sync;
    expect(parkingPlaceOf(job.holder, { ...job, sync })).toBeUndefined();
  });

  it('is absent when the identification makes no address', () => {
    const job = holding('leo li');
    expect(parkingPlaceOf(job.holder, job)).toBeUndefined();
  });

  it.each([
    ['the leaver', 0],
    ['another employee', 1],
  ])('is absent when it is claimed by %s', (_, slot) => {
    const job = holding();
    job.index.addEmail(email, slot);
    expect(parkingPlaceOf(job.holder, job)).toBeUndefined();
  });
});

describe('a leaver whose account has a claimed e-mail', () => {
  it('is parked for the claimant', () => {
    const job = holding();
    expect(leaverParking(job.holder, job)).toEqual({ email, claimant: 'ana' });
  });

  it.each<[string, (job: ReturnType<typeof holding>) => void]>([
    ['when no employee claims the e-mail', ({ holders }) => holders.clear()],
    ['when the person does not leave', ({ index, holder }) => index.clear(holder, mark.leaver)],
    ['when the claimant has a conflict', ({ index, claimant }) => index.set(claimant, mark.conflict)],
    ['when the run is not about the leaver', ({ index, holder }) => index.set(holder, mark.bystander)],
    ['when an employee has the parking address', ({ index, claimant }) => index.addEmail(email, claimant)],
  ])('is not parked %s', (_, change) => {
    const job = holding();
    change(job);
    expect(leaverParking(job.holder, job)).toBeUndefined();
  });

  it('is parked when only the claimant is explained', () => {
    const job = { ...holding(), isFocused: true };
    job.index.set(job.holder, mark.bystander);
    expect(leaverParking(job.holder, job)).toEqual({ email, claimant: 'ana' });
  });
});
