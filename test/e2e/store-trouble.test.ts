import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { CheckpointName } from '../../src/ports/runtime.ts';
import { drawFrom } from '../support/drawn.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

/** An office whose store fails at places of a run, as a full disk or another program's lock would make it. */
async function officeThatFails(
  at: (place: CheckpointName) => boolean,
  delivery: string,
  rows: readonly Row[],
): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(10)) },
    sync: { delivery, policy: delivery === 'direct' ? 'upsert-only' : 'sync', settle: { every: '2s' } },
    checkpoint: (place) => {
      if (at(place))
        throw new RollcallError('the store was locked for too long', { code: 'STORE_INVALID', retry: 'backoff' });
    },
  });
  expect((await office.applyRows(employees(10))).run.outcome).toBe('nothing-to-do');
  await office.writeEmployees(rows);
  return office;
}

function writes(office: Office): string[] {
  return office.sandbox.state.log.map(({ kind, identification }) => `${kind} ${identification}`).sort();
}

/** True the `n`th time that the place comes by, and at no other. */
function nth(wanted: CheckpointName, n: number): (place: CheckpointName) => boolean {
  let seen = 0;
  return (place) => place === wanted && ++seen === n;
}

const twoUpdates = employees(11, { E2: { last: 'Núñez' }, E3: { last: 'Paz' } });

describe('a store that fails while direct calls go out', () => {
  it.each(drawFrom([1, 2, 3], 3))('after call %i was accepted repeats no call, and every row ends', async (n) => {
    const office = await officeThatFails(nth('change-accepted', n), 'direct', twoUpdates);
    const { run } = await office.apply();
    expect(run.counts).toMatchObject({ create: 1, update: 2, repeated: 0 });
    await office.apply();
    expect(writes(office)).toEqual(['created E11', 'updated E2', 'updated E3']);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it.each(drawFrom([1, 2, 3], 3))('before call %i goes out sends it later', async (n) => {
    const office = await officeThatFails(nth('change-sending', n), 'direct', twoUpdates);
    await office.apply();
    office.clock.jump(31 * 60_000);
    await office.apply();
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    expect(writes(office)).toEqual(['created E11', 'updated E2', 'updated E3']);
  });

  it('after a call whose answer was lost forgets nobody', async () => {
    const office = await officeThatFails(nth('change-accepted', 1), 'direct', employees(10, { E2: { last: 'Paz' } }));
    office.setFaults('update:reset-after-commit@1');
    const { run } = await office.apply();
    expect(run.counts).toMatchObject({ update: 1, applied: 1, failed: 0, repeated: 0 });
    expect(writes(office)).toEqual(['updated E2']);
  });
});

describe('a store that fails around a file', () => {
  const places = ['batch-sending', 'batch-accepted', 'status-final', 'read-back'] as const;

  it.each(drawFrom(places, 2))('at %s', async (place) => {
    const office = await officeThatFails(nth(place, 1), 'csv', twoUpdates);
    await office.apply();
    office.clock.jump(31 * 60_000);
    await office.apply();
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    expect(writes(office)).toEqual(['created E11', 'updated E2', 'updated E3']);
  });
});

describe('a store that fails while a run is being closed', () => {
  it('keeps why the run failed: whoever closes it later does not take it for a success', async () => {
    const office = await officeThatFails(() => false, 'csv', twoUpdates);
    office.setFaults('read:status=403');
    const beside = new Sqlite(join(office.folder, '.rollcall', 'rollcall.db'));
    beside.exec(
      "create trigger refuse before update of phase on runs when new.phase = 'done' begin select raise(abort, 'full'); end",
    );
    await expect(office.apply()).rejects.toThrow();
    beside.exec('drop trigger refuse');
    beside.close();
    const { resumed } = await office.apply();
    expect(resumed[0]).toMatchObject({ outcome: 'failed', counts: { applied: 0 } });
    expect(resumed[0]?.reason).toContain('403');
    expect(writes(office)).toEqual([]);
  });
});
