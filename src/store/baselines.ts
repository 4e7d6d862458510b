import type { Selectable } from 'kysely';
import type { LastWrite } from '../core/plan/configuration.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { Baselines, MeasuredConfiguration, StoredConfiguration, StoredSafeguards } from '../ports/reads.ts';
import type { OwnedRun } from '../ports/store.ts';
import { appendAudit } from './audit/chain.ts';
import { asOwner, type Database, inTransaction, type OpenTransaction, type Schema } from './db/database.ts';
import type { KeyRing } from './db/key-ring.ts';
import { inLists, put } from './db/row-writer.ts';
import { placeOf } from './db/tables.ts';
import { classMask, stated, toPlannedChange } from './plans/changes.ts';
import { inPiece, piecesOf } from './plans/plan-access.ts';

type Role = Schema['baselines']['role'];

export function createBaselines(db: Database, keys: KeyRing): Baselines {
  const write = (
    transaction: OpenTransaction,
    { run }: OwnedRun,
    role: Role,
    one: Partial<MeasuredConfiguration> & StoredConfiguration,
  ) => {
    const { sync } = run;
    const { fingerprint, settings, elsewhere, at } = one;
    const sealed = keys.close(JSON.stringify({ settings, elsewhere }), placeOf('baselines', 'sealed', { sync, role }));
    const [is_open, is_held] = [one.isOpen === true ? 1 : 0, one.isHeld === true ? 1 : 0];
    return put(transaction, 'baselines', {
      sync,
      role,
      fingerprint,
      sealed,
      run: one.run ?? null,
      at,
      is_open,
      is_held,
    });
  };

  const accept = async (transaction: OpenTransaction, owned: OwnedRun, one: StoredConfiguration): Promise<void> => {
    await write(transaction, owned, 'accepted', one);
    await transaction
      .deleteFrom('baselines')
      .where((eb) => eb.and({ sync: owned.run.sync, role: 'measured' }))
      .execute();
  };

  /** Returns the parts that a row seals, or undefined where no configured key opens them. */
  const open = <Parts>(row: Selectable<Schema['baselines']>): Parts | undefined => {
    try {
      return JSON.parse(keys.open(row.sealed, placeOf('baselines', 'sealed', { ...row }))) as Parts;
    } catch (error) {
      if (error instanceof RollcallError) return undefined;
      throw error;
    }
  };

  const readAll = async (from: Database, sync: string): Promise<ReadonlyMap<Role, MeasuredConfiguration>> => {
    const rows = await from.selectFrom('baselines').selectAll().where('sync', '=', sync).execute();
    return new Map(
      rows.flatMap((row) => {
        const parts = open<Pick<StoredConfiguration, 'settings' | 'elsewhere'>>(row);
        const { fingerprint, at, run, role } = row;
        if (parts === undefined) return [];
        return [
          [role, { ...parts, fingerprint, at, run: run ?? '', isOpen: row.is_open === 1, isHeld: row.is_held === 1 }],
        ];
      }),
    );
  };

  return {
    async read(sync) {
      const found = await readAll(db, sync);
      return { accepted: found.get('accepted'), measured: found.get('measured') };
    },

    accept: (owned, configuration) => asOwner(db, owned, (transaction) => accept(transaction, owned, configuration)),

    measure: (owned, measured) =>
      asOwner(db, owned, (transaction) => write(transaction, owned, 'measured', measured).then(() => undefined)),

    async advance(owned) {
      const { id, sync } = owned.run;
      const measured = (await readAll(db, sync)).get('measured');
      if (measured?.run !== id || measured.isOpen || (await hasOpenChange(db, id))) return;
      await asOwner(db, owned, (transaction) => accept(transaction, owned, measured));
    },

    async lastWrites(connection, identifications) {
      const found = new Map<string, LastWrite>();
      for (const names of inLists(identifications)) {
        const rows = await db
          .selectFrom(stated)
          .innerJoin('plans', 'plans.id', 'changes.plan')
          .innerJoin('runs', 'runs.id', 'plans.run')
          .selectAll('changes')
          .select('plans.configuration')
          .where('changes.identification', 'in', names)
          .where('changes.part', '=', 'account')
          .where('changes.applied_at', 'is not', null)
          .where('runs.connection', '=', connection)
          .orderBy('changes.applied_at', 'desc')
          .execute();
        for (const row of rows) {
          if (found.has(row.identification)) continue;
          const { kind, before, classes } = toPlannedChange(row, keys);
          found.set(row.identification, { kind, before, classes, configuration: row.configuration ?? undefined });
        }
      }
      return found;
    },

    async safeguards() {
      const rows = await db.selectFrom('baselines').selectAll().where('role', '=', 'safeguards').execute();
      return new Map(
        rows.flatMap((row) => {
          const { sync, fingerprint: digest, at } = row;
          const safeguards = open<StoredSafeguards['safeguards']>(row);
          return safeguards === undefined ? [] : [[sync, { sync, digest, at, safeguards }]];
        }),
      );
    },

    replaceSafeguards: (before, { sync, digest: fingerprint, at, safeguards }, entry) =>
      inTransaction(db, async (transaction) => {
        const sealed = keys.close(
          JSON.stringify(safeguards),
          placeOf('baselines', 'sealed', { sync, role: 'safeguards' }),
        );
        const row = { sync, role: 'safeguards', fingerprint, sealed, run: null, at, is_open: 0, is_held: 0 } as const;
        if (before === undefined) await put(transaction, 'baselines', row);
        else {
          const replaced = await transaction
            .updateTable('baselines')
            .set(row)
            .where((eb) => eb.and({ sync, role: 'safeguards', fingerprint: before }))
            .executeTakeFirst();
          if (replaced.numUpdatedRows === 0n) return false;
        }
        if (entry !== undefined) await appendAudit(transaction, entry);
        return true;
      }),
  };
}

/** Returns whether a change of the edit is held, rejected, failed, not sent or of unknown outcome. */
async function hasOpenChange(db: Database, plan: string): Promise<boolean> {
  for await (const piece of piecesOf(db, plan)) {
    const open = await db
      .selectFrom('changes')
      .select('identification')
      .where(inPiece(piece))
      .where((eb) => eb(eb('classes', '&', classMask(['configuration'])), '!=', 0))
      .where('mark', 'not in', ['applied', 'unverified', 'exported'])
      .limit(1)
      .executeTakeFirst();
    if (open !== undefined) return true;
  }
  return false;
}
