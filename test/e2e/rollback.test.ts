import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrateLater } from '../contracts/store-newer.ts';
import { openCommandPlace } from '../support/command-place.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();

/** A run of a sync that is not configured here, in a phase that only the newer version knows. */
const foreignRun = `insert into runs (id, sync, connection, trigger_kind, scope, phase, started_at, counts)
  values ('run_later', 'others', 'acme', 'manual', '{"kind":"all"}', 'verifying', 1, '{}')`;

it.each(postgres === undefined ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const))(
  'this version does whole runs on the %s store of a later one, and leaves a run in a phase of it alone',
  async (kind) => {
    const server = kind === 'postgres' ? await postgres?.newDatabase() : undefined;
    const place = await openCommandPlace(server ?? 'sqlite:./store.db');
    const path = join(place.folder, 'store.db');
    await place.employ(12);
    expect(await place.rollcall('admin', 'migrate')).toMatchObject({ code: 0 });
    expect((await migrateLater(server ?? `sqlite:${path}`)).applied).toEqual(['999-later']);
    if (server === undefined) new Sqlite(path).exec(foreignRun).close();
    else await postgres?.query(server, foreignRun);
    expect(await place.rollcall('apply', 'people')).toMatchObject({ code: 0 });
    await place.employ(13, [1]);
    expect(await place.rollcall('apply', 'people')).toMatchObject({ code: 0 });
    const { stdout } = await place.rollcall('runs', '--json');
    const { runs } = JSON.parse(stdout) as { runs: { outcome: string | null; phase: string }[] };
    expect(runs.map(({ outcome, phase }) => [phase, outcome])).toEqual([
      ['done', 'succeeded'],
      ['done', 'succeeded'],
      ['verifying', null],
    ]);
    const disables = place.sandbox.state.log.filter(({ kind: write }) => write === 'disabled');
    expect(disables).toHaveLength(1);
  },
);
