import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/open-store.ts';
import { ask } from '../server/open-test-server.ts';
import { type CommandPlace, openCommandPlace } from '../support/command-place.ts';
import { drawFrom } from '../support/drawn.ts';
import { startRollcall } from '../support/rollcall-process.ts';
import { until } from '../support/services/redis.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();
const writes = ({ sandbox }: CommandPlace): number => sandbox.state.log.length;

type Kind = 'sqlite' | 'postgres';
const newStore = async (kind: Kind, name = 'store'): Promise<string> =>
  kind === 'sqlite' ? `sqlite:./${name}.db` : ((await postgres?.newDatabase()) ?? '');

const moves = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const;

describe.each(drawFrom(moves, 2))('a store in %s', (kind, other) => {
  it.skipIf(postgres === undefined)(
    'is restored, older than the platform, without presenting a token or sending anything twice',
    async () => {
      const place = await openCommandPlace(await newStore(kind));
      const { rollcall, sandbox } = place;
      await place.employ(12);
      expect(await rollcall('apply', 'people')).toMatchObject({ code: 0 });
      const made = await rollcall('admin', 'backup', 'first.backup');
      expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('it is complete') });
      const { mode } = await stat(join(place.folder, 'first.backup'));
      expect(mode & 0o777).toBe(0o600);
      const text = gunzipSync(await readFile(join(place.folder, 'first.backup'))).toString();
      expect(text).not.toContain(sandbox.refreshToken);

      // After the backup: a leaver, a new person, and a newer pair.
      await place.employ(13, [1]);
      expect(await rollcall('apply', 'people')).toMatchObject({ code: 0 });
      expect(await rollcall('token', 'refresh', 'acme')).toMatchObject({ code: 0 });
      const presented = sandbox.state.refreshes.length;
      const written = writes(place);

      expect(await rollcall('admin', 'restore', 'first.backup')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not empty. Nothing was changed'),
      });
      const restored = await rollcall('admin', 'restore', 'first.backup', '--replace', '--yes', '--as', 'ana');
      expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('token status acme') });
      expect((await rollcall('audit')).stdout).toMatch(/ana.*restore/);

      const paused = await rollcall('apply', 'people');
      expect(paused).toMatchObject({ code: 2, stderr: expect.stringContaining('rollcall resume people') });
      expect(await rollcall('resume', 'people')).toMatchObject({ code: 0 });
      const failed = await rollcall('apply', 'people');
      expect(failed).toMatchObject({ code: 1 });
      expect(failed.stdout + failed.stderr).toContain('restored from a backup');
      expect((await rollcall('check', 'acme')).stdout).toContain('restored from a backup');
      expect(JSON.parse((await rollcall('token', 'status', 'acme', '--json')).stdout)).toMatchObject({
        token: { state: 'restored' },
      });
      expect(sandbox.state.refreshes).toHaveLength(presented);

      // The new first token, as a person gets it from the platform.
      await place.configure(
        JSON.parse(await readFile(join(place.folder, 'rollcall.yaml'), 'utf8')).store,
        sandbox.authorize().refreshToken,
      );
      expect(await rollcall('apply', 'people')).toMatchObject({ code: 0 });
      expect(await rollcall('runs')).toMatchObject({ stdout: expect.stringContaining('nothing to do') });
      expect(writes(place)).toBe(written);
      expect(sandbox.state.refreshes.every(({ times }) => times === 1)).toBe(true);

      // One disable would pass on another day.
      await place.employ(13, [1, 2]);
      const held = await rollcall('apply', 'people');
      expect(held).toMatchObject({ code: 3 });
      expect(held.stdout).toContain('For 24 hours after a restore, each one needs approval');
      expect(writes(place)).toBe(written);
    },
  );

  it.skipIf(postgres === undefined)(
    'is restored by no command while `start` works on it, and an older copy of it stops `start` until a restore',
    async () => {
      const store = await newStore(kind);
      const place = await openCommandPlace(store);
      const { rollcall, sandbox, folder } = place;
      await place.employ(3);
      expect(await rollcall('apply', 'people')).toMatchObject({ code: 0 });
      await rollcall('admin', 'backup', 'first.backup');
      const start = startRollcall(folder, ['start', '--port', '0']);
      const url = (await start.seen(/http:\/\/127\.0\.0\.1:\d+/))[0];
      await until(async () => (await ask(`${url}/readyz`)).status === 200);
      const refused = await rollcall('admin', 'restore', 'first.backup', '--replace', '--yes');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(new RegExp(`"deployment" of \\S+-${start.child.pid}-`));
      expect(await rollcall('resync', 'people', '--wait')).toMatchObject({ code: 0 });

      const { db } = await openDatabase(store, { folder });
      await db.updateTable('tokens').set({ generation: 1 }).execute();
      await db.destroy();
      const [presented, written] = [sandbox.state.refreshes.length, writes(place)];
      await until(async () => (await ask(`${url}/readyz`)).status === 503);
      expect((await ask(`${url}/readyz`)).json).toMatchObject({ faults: { store: 'it is an older copy' } });
      const status = await rollcall('status');
      expect(status.stdout).toContain('because it is an older copy: rollcall explain store-older');
      await place.employ(4);
      const apply = await rollcall('apply', 'people');
      expect(apply).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is an older copy: it has token pair 1 of acme'),
      });
      expect([sandbox.state.refreshes.length, writes(place)]).toEqual([presented, written]);

      start.child.kill('SIGTERM');
      expect(await start.ended).toMatchObject({ code: 0 });
      await rollcall('admin', 'backup', 'older.backup');
      expect(await rollcall('admin', 'restore', 'older.backup', '--replace', '--yes')).toMatchObject({ code: 0 });
      expect((await rollcall('status')).stdout).not.toContain('older copy');
      expect((await rollcall('token', 'status', 'acme')).stdout).toContain('restored');
    },
  );

  it.skipIf(postgres === undefined)(`goes to ${other} with everything in it`, async () => {
    const place = await openCommandPlace(await newStore(kind));
    await place.employ(12);
    await place.rollcall('apply', 'people');
    const { stdout } = await place.rollcall('admin', 'backup', 'moved.backup', '--json');
    await place.configure(await newStore(other, 'other'), place.sandbox.refreshToken);
    const restored = await place.rollcall('admin', 'restore', 'moved.backup', '--json');
    expect(restored).toMatchObject({ code: 0 });
    const again = await place.rollcall('admin', 'backup', 'again.backup', '--json');
    const { rows: before } = JSON.parse(stdout) as { rows: Record<string, number> };
    const { rows: after } = JSON.parse(again.stdout) as { rows: Record<string, number> };
    for (const table of ['ledger', 'runs', 'plans', 'changes', 'batches', 'tokens', 'reads']) {
      expect([table, after[table]]).toEqual([table, before[table]]);
    }
    expect(after.ledger).toBe(12);
    expect(
      (
        await place.rollcall(
          'show',
          (JSON.parse((await place.rollcall('runs', '--json')).stdout) as { runs: { id: string }[] }).runs[0]?.id ?? '',
        )
      ).stdout,
    ).toContain('12');
    // No refresh happened after the backup, so the pair of the backup may be presented.
    expect(await place.rollcall('token', 'refresh', 'acme')).toMatchObject({ code: 0 });
    expect(await place.rollcall('resume', 'people')).toMatchObject({ code: 0 });
    expect(await place.rollcall('apply', 'people')).toMatchObject({ code: 0 });
  });
});
