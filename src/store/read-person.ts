import type { DecisionRecord } from '../ports/decisions.ts';
import type { PersonRecord } from '../ports/person-records.ts';
import { toPlannedChange } from './change-rows.ts';
import type { Database } from './database.ts';
import { toRecord } from './decisions.ts';
import { findInDirectories } from './directories.ts';
import { likeText, mentionOf } from './erase-mentions.ts';
import { findPersonHash, toEntry } from './forgotten.ts';
import type { KeyRing } from './key-ring.ts';
import { toLedgerEntry } from './ledger-rows.ts';
import { rawContext } from './raw-texts.ts';
import { toFinding } from './runs.ts';

/** Reads everything that the store has about one person. */
export async function readPersonRecord(db: Database, keys: KeyRing, identification: string): Promise<PersonRecord> {
  const ledger = await db.selectFrom('ledger').selectAll().where('identification', '=', identification).execute();
  const changes = await db
    .selectFrom('changes')
    .innerJoin('plans', 'plans.id', 'changes.plan')
    .selectAll('changes')
    .select(['plans.sync', 'plans.made_at'])
    .where('changes.identification', '=', identification)
    .orderBy('plans.made_at')
    .execute();
  const findings = await db
    .selectFrom('findings')
    .selectAll()
    .where((eb) =>
      eb.or([eb('identification', '=', identification), eb('message', 'like', `%${likeText(identification)}%`)]),
    )
    .orderBy('run')
    .orderBy('number')
    .execute();
  const names = mentionOf(identification);
  const isNamed = (text: string): boolean => text.search(names) !== -1;
  const json = `%${likeText(JSON.stringify(identification))}%`;
  const requests = await db.selectFrom('triggers').selectAll().where('scope', 'like', json).execute();
  const notices = await db
    .selectFrom('alert_deliveries')
    .select('body')
    .where('body', 'like', `%${likeText(identification)}%`)
    .execute();
  const raws = await db.selectFrom('raw_texts').selectAll().execute();
  return {
    identification,
    ledger: ledger.map((row) => ({ connection: row.connection, entry: toLedgerEntry(row, keys) })),
    forgotten: await forgottenOf(db, keys, identification),
    directories: await findInDirectories(db, keys, identification),
    changes: changes.map((row) => ({
      ...toPlannedChange(row, keys),
      plan: row.plan,
      sync: row.sync,
      madeAt: Number(row.made_at),
    })),
    findings: findings
      .filter((row) => row.identification === identification || isNamed(row.message))
      .map((row) => ({ run: row.run, ...toFinding(row) })),
    decisions: await decisionsOf(db, identification),
    requests: requests
      .filter(({ scope }) => isNamed(scope))
      .map(({ id, sync, requested_at }) => ({ trigger: id, sync, requestedAt: Number(requested_at) })),
    notices: notices.filter(({ body }) => isNamed(body)).length,
    rawTexts: raws.filter(({ run, number, sealed }) => isNamed(keys.open(sealed, rawContext(run, number)))).length,
  };
}

async function forgottenOf(db: Database, keys: KeyRing, identification: string): Promise<PersonRecord['forgotten']> {
  const hash = await findPersonHash(db, keys);
  if (hash === undefined) return [];
  const connections = await db.selectFrom('forgotten').select('connection').distinct().execute();
  const found: { connection: string; entry: PersonRecord['ledger'][number]['entry']; at: number }[] = [];
  for (const { connection } of connections) {
    const row = await db
      .selectFrom('forgotten')
      .selectAll()
      .where('connection', '=', connection)
      .where('hash', '=', hash(connection, identification))
      .executeTakeFirst();
    if (row !== undefined)
      found.push({ connection, entry: toEntry(row, identification), at: Number(row.forgotten_at) });
  }
  return found;
}

async function decisionsOf(
  db: Database,
  identification: string,
): Promise<readonly (DecisionRecord & { readonly sync: string })[]> {
  const rows = await db.selectFrom('decisions').selectAll().where('identification', '=', identification).execute();
  return rows.map((row) => ({ ...toRecord(row), sync: row.sync }));
}
