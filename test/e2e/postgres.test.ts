import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/store/db/postgres.ts';
import { openCommandPlace } from '../support/command-place.ts';
import { runRollcall } from '../support/rollcall-process.ts';
import { findPgBouncer, poolerBefore, startPostgres } from '../support/services.ts';

const postgres = await startPostgres();
const pgBouncer = await findPgBouncer();

describe.skipIf(postgres === undefined)('the main job with its store in PostgreSQL', () => {
  async function openOffice(people: number, way = async (url: string) => url) {
    const store = await way((await postgres?.newDatabase()) ?? '');
    const place = await openCommandPlace(store);
    await place.employ(people);
    return { ...place, password: decodeURIComponent(new URL(store).password) };
  }

  it('is done once by two processes that are asked for it at the same time, and nothing is left to do', async () => {
    const { folder, password, rollcall } = await openOffice(40);
    const both = await Promise.all([1, 2].map(() => runRollcall(folder, ['apply', 'people', '--json'])));
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual(both.map(() => [0, expect.any(String)]));
    for (const { stdout, stderr } of both) expect(stdout + stderr).not.toContain(password);
    const told = both.map(
      ({ stdout }) => JSON.parse(stdout) as { id: string; outcome?: string; counts?: { create: number } },
    );
    // Requests that meet before a run begins are one run, and both are told of it; else the second run finds nothing to do.
    const createdByRun = new Map(told.map(({ id, counts }) => [id, counts?.create ?? 0]));
    expect([...createdByRun.values()].reduce((sum, created) => sum + created, 0)).toBe(40);
    expect(told.map(({ outcome }) => outcome)).toContain('succeeded');
    const { runs } = (await rollcall('runs', '--json')).json<{ runs: { counts: { applied: number } }[] }>();
    expect(runs.reduce((sum, { counts }) => sum + counts.applied, 0)).toBe(40);
    expect((await rollcall('apply', 'people', '--json')).json()).toMatchObject({ outcome: 'nothing-to-do' });
  });

  describe.skipIf(pgBouncer === undefined).each(['session', 'transaction'] as const)(
    'through PgBouncer (%s)',
    (pooling) => {
      const way = (url: string) => poolerBefore(pgBouncer ?? '', url, pooling);

      it('does the same, and a backup', async () => {
        const { rollcall } = await openOffice(30, way);
        expect(await rollcall('apply', 'people')).toMatchObject({ code: 0 });
        expect((await rollcall('apply', 'people', '--json')).json()).toMatchObject({ outcome: 'nothing-to-do' });
        expect(await rollcall('admin', 'backup', 'store.backup')).toMatchObject({ code: 0 });
      });

      it('leaves no setting on a connection that others share, and has its limits in each transaction', async () => {
        const url = await way((await postgres?.newDatabase()) ?? '');
        const { db } = await openPostgres(url, '.');
        const timeouts = async (from: typeof db) =>
          (await sql<{ at: string }>`select current_setting('lock_timeout') as at`.execute(from)).rows[0]?.at;
        const inside = await db.transaction().execute((transaction) => timeouts(transaction));
        expect([inside, await timeouts(db)]).toEqual(['20s', '0']);
        await db.destroy();
      });
    },
  );

  it('has its tables made by migrate, which touches nothing beside the configuration, and by whoever comes first', async () => {
    const { folder, password, rollcall } = await openOffice(3);
    const both = await Promise.all([1, 2].map(() => runRollcall(folder, ['admin', 'migrate', '--json'])));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const told = both.map(({ stdout }) => JSON.parse(stdout) as { from: string | null; applied: readonly string[] });
    expect(told.filter(({ from }) => from === null)).toHaveLength(1);
    expect(told.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    for (const { stdout, stderr } of both) expect(stdout + stderr).not.toContain(password);
    expect((await readdir(folder)).sort()).toEqual(['employees.csv', 'rollcall.yaml']);
    expect(await rollcall('apply', 'people')).toMatchObject({ code: 0 });
  });
});
