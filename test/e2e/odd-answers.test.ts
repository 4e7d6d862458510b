import { describe, expect, it } from 'vitest';
import { employees, type OfficeOptions, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

interface Scenario {
  readonly faults: readonly string[];
  readonly how?: OfficeOptions['sync'];
  readonly quirks?: NonNullable<OfficeOptions['sandbox']>['quirks'];
  /** Minutes that the first run may take on the clock of the store. */
  readonly minutes: number;
  /** Applied by the first run, of twelve. */
  readonly first: number;
}

const direct = { delivery: 'direct', policy: 'upsert-only' } as const;

const scenarios: Readonly<Record<string, Scenario>> = {
  'an upload is answered 502 with a page of HTML': { faults: ['upload:page=502@1'], minutes: 60, first: 0 },
  'a proxy answers an upload with 403 and a page of HTML': { faults: ['upload:page=403@1'], minutes: 10, first: 12 },
  'reads are answered 429 with a date': {
    faults: ['search:status=429;retry-after=date:30@1-3'],
    minutes: 15,
    first: 12,
  },
  'the read-back is answered 502 for a while': { faults: ['search:status=502@4-8'], minutes: 20, first: 12 },
  'a file vanishes from the list after its first poll': { faults: ['status:status=404@2-'], minutes: 40, first: 12 },
  'the final words are Spanish': { faults: [], quirks: { doneStatus: 'Procesado con éxito' }, minutes: 10, first: 12 },
  'the record stays blocked for ever after the work is done': {
    faults: ['file:stuck-after-commit'],
    minutes: 40,
    first: 12,
  },
  'an upload is answered 401 between two files': {
    faults: ['upload:status=401@2'],
    how: { batchRows: 4 },
    minutes: 20,
    first: 12,
  },
  'an update is answered 409': { faults: ['update:status=409@3'], how: direct, minutes: 20, first: 11 },
  'every update is answered 429 once': {
    faults: ['update:status=429;retry-after=2@/2'],
    how: direct,
    minutes: 20,
    first: 12,
  },
  'the status poll is answered 401 once': { faults: ['status:status=401@1'], minutes: 20, first: 12 },
  'the status is HTML for a while': { faults: ['status:html@1-4'], minutes: 20, first: 12 },
};

describe.each(Object.entries(scenarios))('when %s', (_, { faults, how, quirks, minutes, first }) => {
  it('the run ends in time, what it did not do is done later, and nothing is sent twice', async () => {
    const office = await openOffice({
      sandbox: { people: usersOf(employees(48)), ...(quirks === undefined ? {} : { quirks }) },
      sync: { delivery: 'csv', guards: { updates: { absolute: 500 } }, ...how },
    });
    await office.applyRows(employees(48));
    office.setFaults(...faults);
    const startedAt = office.clock.now();
    const patch = Object.fromEntries(employees(12).map(({ id = '' }) => [id, { last: 'Paz' }]));
    const { run } = await office.applyRows(employees(48, patch));
    const took = (office.clock.now() - startedAt) / 60_000;
    expect(run.counts.applied).toBe(first);
    expect(took).toBeLessThan(minutes);
    office.setFaults();
    office.clock.jump(3_600_000);
    await office.apply();
    expect([...office.sandbox.state.users.values()].filter(({ fields }) => fields.lastName === 'Paz')).toHaveLength(12);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});
