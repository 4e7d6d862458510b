import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decideRun } from '../../src/app/approve.ts';
import { readTrial } from '../../src/app/try-source.ts';
import type { ReadEnd } from '../../src/core/plan/snapshot.ts';
import { defineKind } from '../../src/sources/kit/kind.ts';
import { startVendor } from '../fakes/hris/vendor-server.ts';
import { employees, type Office, openOffice, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

/** An HR system in memory that leaves out what Rollcall's user may not see. */
interface Hr {
  people: readonly Row[];
  hidden: readonly string[];
  end:
    | Partial<Extract<ReadEnd, { complete: true }>>
    | { readonly complete: false; readonly reasons: readonly string[]; readonly notReturned?: readonly string[] };
}

function kindOver(hr: Hr) {
  return defineKind({
    kind: 'memory',
    title: 'people in memory',
    capabilities: { delta: false, point: false, terminated: 'always', future: 'always' },
    config: z.strictObject({ kind: z.literal('memory') }),
    folder: '',
    starters: [],
    open: () => ({
      async *read(): AsyncGenerator<never, ReadEnd> {
        const records = hr.people.map((row, i) => {
          const seen = Object.entries(row).filter(([name]) => !hr.hidden.includes(name));
          return { at: `item ${i + 1}`, fields: Object.fromEntries(seen) };
        });
        yield { records, broken: [] } as never;
        const whole = {
          complete: true,
          rows: records.length,
          evidence: 'the list ended',
          stamp: JSON.stringify(hr.people),
        };
        return { ...whole, ...hr.end } as ReadEnd;
      },
    }),
  });
}

const lifecycle = { status: 'status', active: ['active'], leaver: ['left'], leaveDate: 'end' };
const some = { end: '' };

async function openHr(hidden: readonly string[] = []): Promise<{ office: Office; hr: Hr }> {
  const people = employees(20).map((row) => ({ ...row, ...some }));
  const hr: Hr = { people, hidden, end: {} };
  const sync = { source: { kind: 'memory' }, lifecycle, missing: { afterReads: 1, minAge: '0s' } };
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) }, sync, kinds: [kindOver(hr)] });
  return { office, hr };
}

/** Every class at once: a joiner, a mover, a leaver by status, and one who is missing. */
function changed(): Row[] {
  const rows = employees(21, { E2: { last: 'Núñez' }, E3: { status: 'left' } }).filter(({ id }) => id !== 'E20');
  return rows.map((row) => ({ ...row, ...some }));
}

describe('a permission that was taken away', () => {
  it('holds everything, names field and cause, and changes nobody, until a person says that it is right', async () => {
    const { office, hr } = await openHr();
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    Object.assign(hr, { people: changed(), hidden: ['end'] });

    for (let i = 0; i < 2; i += 1) {
      const { run, findings, holds } = await office.apply();
      expect(run).toMatchObject({ outcome: 'held', counts: { create: 1, update: 1, disable: 2, held: 4, applied: 0 } });
      expect(holds.map(({ class: held }) => held).sort()).toEqual(['creates', 'disables', 'updates']);
      for (const { reason } of holds)
        expect(reason).toMatch(/^lifecycle\.leaveDate reads `end`, but no record has this field/);
      expect(findings).toContainEqual({
        code: 'field-vanished',
        message: expect.stringContaining('a permission or a column'),
      });
    }
    expect(office.sandbox.state.log).toHaveLength(0);

    const { run } = await office.apply();
    await decideRun(office.app, 'approve', run.id, { by: 'ops' });
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 4, held: 0 } });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});

describe('an API over HTTP whose answers leave out what may not be seen', () => {
  it('holds the run by itself, and `source try` says which field it is', async () => {
    let people: readonly Row[] = employees(20).map((row) => ({ ...row, ...some }));
    let hidden: readonly string[] = [];
    const shown = (row: Row) => Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.includes(name)));
    const { url } = await startVendor({
      isData: () => true,
      answer: () => ({ status: 200, body: JSON.stringify({ data: people.map(shown), total: people.length }) }),
    });
    const places = { baseUrl: url, path: '/v1/people', items: 'data', key: 'id', total: 'total' };
    const source = { kind: 'rest', ...places, paging: { style: 'none' }, auth: { kind: 'none' } };
    const office = await openOffice({ sandbox: { people: usersOf(employees(20)) }, sync: { source, lifecycle } });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');

    people = changed();
    hidden = ['end', 'mail'];
    const { run, findings } = await office.apply();

    expect(run).toMatchObject({ outcome: 'held', counts: { create: 1, update: 1, disable: 1, held: 3, applied: 0 } });
    const told = findings.filter(({ code }) => code === 'field-vanished').map(({ message }) => message);
    expect(told).toEqual([
      expect.stringMatching(/^email reads `mail`, but no record has this field any longer.*lifecycle\.leaveDate\)$/),
    ]);
    expect(office.sandbox.state.log).toHaveLength(0);
    const watch = { signal: AbortSignal.timeout(60_000), progress: () => {} };
    const trial = await readTrial(office.app, 'people', { ...watch, shown: 1 });
    expect(trial.unseen).toEqual([
      { read: 'mail', readers: ['email'] },
      { read: 'end', readers: ['lifecycle.leaveDate'] },
    ]);
  });
});
