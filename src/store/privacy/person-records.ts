import { randomUUID } from 'node:crypto';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { leaderStates, leadersNamed, renameLeaders, unread } from '../../core/plan/leaders.ts';
import { conflict } from '../../core/run/errors.ts';
import type { PersonRecord, PersonRecords } from '../../ports/store.ts';
import { type Database, inTransaction, keyOf, type OpenTransaction, type Schema } from '../db/database.ts';
import type { KeyRing } from '../db/key-ring.ts';
import { isSameRow } from '../db/row-writer.ts';
import { type DeclaredColumn, declaredColumns, declaredTables, placeOf } from '../db/tables.ts';
import { toLeaver } from '../leavers.ts';
import { rewriteLeaders, toLedgerEntry } from '../ledger.ts';
import { eraseFromDirectories, findInDirectories } from '../people/directories.ts';
import { forgetPast } from '../people/past.ts';
import { emptyChange, type StatedChange, stated, toPlannedChange } from '../plans/changes.ts';
import { toRecord } from '../plans/decisions.ts';
import { toCorrection } from '../reads.ts';
import { toFinding } from '../runs.ts';
import { toStanding } from '../standing.ts';
import { findPersonHash, hideLedgerRow, makePersonHash, type PersonHash, pseudonymOf, toEntry } from './forgotten.ts';

export function createPersonRecords(db: Database, keys: KeyRing): PersonRecords {
  return {
    read: (identification) => readPersonRecord(db, keys, identification),

    forget(identification, now) {
      return inTransaction(db, async (transaction) => {
        await requireQuiet(transaction, keys, identification);
        const hash = await makePersonHash(transaction, keys);
        const rows = await transaction
          .selectFrom('ledger')
          .selectAll()
          .where('identification', '=', identification)
          .execute();
        const emails = await emailsOf(transaction, keys, identification);
        await hideLeaders(transaction, keys, { names: [identification], emails, hash });
        for (const row of rows) await hideLedgerRow(transaction, row, hash, now);
        await emptyChanges(transaction, identification);
        for (const row of await leadersNaming(transaction, keys, identification)) await emptyLeaders(transaction, row);
        await eraseFromDirectories(transaction, keys, identification);
        await forgetPast(transaction, identification);
        const person = personNamed(identification);
        for (const table of declaredTables) await eraseFrom(transaction, keys, table, person);
        return { kept: rows.map(({ connection }) => connection) };
      });
    },

    forgetGone(before, now, limit) {
      return inTransaction(db, async (transaction) => {
        const rows = await transaction
          .selectFrom('ledger')
          .selectAll()
          .where((eb) =>
            eb.or([
              eb('removed_at', '<', before),
              eb.and([eb('disabled_at', '<', before), eb('gone_since', '<', before)]),
            ]),
          )
          .limit(limit)
          .execute();
        if (rows.length === 0) return 0;
        const hash = await makePersonHash(transaction, keys);
        const names = rows.map(({ identification }) => identification);
        await hideLeaders(transaction, keys, { names, emails: [], hash });
        for (const row of rows) await hideLedgerRow(transaction, row, hash, now);
        return rows.length;
      });
    },
  };
}

/** Throws `CONFLICT` while a change of the person, or one that makes the person a leader, may still be sent or read back. */
async function requireQuiet(db: OpenTransaction, keys: KeyRing, identification: string): Promise<void> {
  const open = db
    .selectFrom(stated)
    .innerJoin('plans', 'plans.id', 'changes.plan')
    .innerJoin('runs', 'runs.id', 'plans.run')
    .where((eb) => eb.or([eb('runs.ended_at', 'is', null), eb('changes.mark', 'in', ['sent', 'unresolved'])]));
  const own = await open
    .select('runs.id')
    .where('changes.identification', '=', identification)
    .limit(1)
    .executeTakeFirst();
  const led = await open.selectAll('changes').select('runs.id').where('changes.part', '=', 'leaders').execute();
  const busy = own ?? led.find((row) => namesLeader(row, keys, identification));
  if (busy === undefined) return;
  const message =
    `run ${busy.id} may still change this person, so nothing was erased. Wait until it has ended and its changes are ` +
    'resolved, then run the command again.';
  throw conflict(message);
}

function namesLeader(row: StatedChange, keys: KeyRing, identification: string): boolean {
  const change = toPlannedChange(row, keys);
  const { from, to } = leaderStates(change);
  const known = leadersNamed(change.before?.leaders ?? unread);
  return [from.main, to.main, ...from.secondary, ...to.secondary, ...known].includes(identification);
}

/** Returns the changes of the leaders of others that name the person. */
async function leadersNaming(db: OpenTransaction, keys: KeyRing, identification: string): Promise<StatedChange[]> {
  const plans = await db.selectFrom('changes').select('plan').distinct().where('part', '=', 'leaders').execute();
  const found: StatedChange[] = [];
  for (const { plan } of plans) {
    const rows = await db
      .selectFrom(stated)
      .selectAll()
      .where((eb) => eb.and({ plan, part: 'leaders' }))
      .execute();
    found.push(...rows.filter((row) => namesLeader(row, keys, identification)));
  }
  return found;
}

/** Leaves a change of leaders as a number, with the person whose leaders they are. */
async function emptyLeaders(db: OpenTransaction, { plan, identification }: StatedChange): Promise<void> {
  await db
    .updateTable('changes')
    .set(emptyChange)
    .where((eb) => eb.and({ plan, identification, part: 'leaders' }))
    .execute();
}

/** Returns by which e-mails the source may name the person as a leader. */
async function emailsOf(db: Database, keys: KeyRing, identification: string): Promise<readonly string[]> {
  const found = await findInDirectories(db, keys, identification);
  return found.map(({ row }) => row.email).filter((email) => email !== '');
}

/** Replaces people by their pseudonyms where the entries of others name them as leaders. Their lists are read again. */
async function hideLeaders(
  db: OpenTransaction,
  keys: KeyRing,
  {
    names,
    emails,
    hash,
  }: { readonly names: readonly string[]; readonly emails: readonly string[]; readonly hash: PersonHash },
): Promise<void> {
  const hidden = new Set([...names, ...emails]);
  for (const { connection } of await db.selectFrom('ledger').select('connection').distinct().execute()) {
    await rewriteLeaders(db, { connection, keys }, (leaders) => {
      if (!leadersNamed(leaders).some((name) => hidden.has(name))) return leaders;
      const { shown: _, waits = [], ...kept } = leaders;
      const left = waits.filter(({ value }) => !hidden.has(value));
      const named = renameLeaders(kept, (name) => (names.includes(name) ? pseudonymOf(hash(connection, name)) : name));
      return { ...named, ...(left.length === 0 ? {} : { waits: left }) };
    });
  }
}

/** Leaves changes of ended runs as numbers, so that counts and guards of the last 24 hours stay right. */
async function emptyChanges(db: OpenTransaction, identification: string): Promise<void> {
  const rows = await db.selectFrom('changes').select(['plan']).where('identification', '=', identification).execute();
  for (const { plan } of rows) {
    await db
      .updateTable('changes')
      .set({ ...emptyChange, identification: `forgotten:${randomUUID()}` })
      .where((eb) => eb.and({ plan, identification }))
      .execute();
  }
}

/** Reads everything that the store has about one person. */
async function readPersonRecord(db: Database, keys: KeyRing, identification: string): Promise<PersonRecord> {
  const person = personNamed(identification);
  const naming = <Table extends keyof Schema>(table: Table) => rowsNaming(db, keys, table, person);
  const changes = await db
    .selectFrom(stated)
    .innerJoin('plans', 'plans.id', 'changes.plan')
    .selectAll('changes')
    .select(['plans.sync', 'plans.made_at'])
    .where('changes.identification', '=', identification)
    .orderBy('plans.made_at')
    .execute();
  const known = (await naming('ledger')).map((row) => ({
    connection: row.connection,
    entry: toLedgerEntry(row, keys),
  }));
  const isOwn = ({ entry }: (typeof known)[number]): boolean => entry.identification === identification;
  const isLed = ({ entry }: (typeof known)[number]): boolean =>
    entry.leaders !== undefined && leadersNamed(entry.leaders).includes(identification);
  return {
    identification,
    ledger: known.filter(isOwn),
    leads: known
      .filter((one) => !isOwn(one) && isLed(one))
      .map(({ connection, entry }) => ({ connection, identification: entry.identification })),
    forgotten: await forgottenOf(db, keys, identification),
    directories: await findInDirectories(db, keys, identification),
    changes: changes.map((row) => ({
      ...toPlannedChange(row, keys),
      plan: row.plan,
      sync: row.sync,
      madeAt: row.made_at,
    })),
    findings: (await naming('findings')).map((row) => ({ run: row.run, ...toFinding(row) })),
    corrections: (await naming('corrections')).map(({ sync, ...row }) => ({ sync, ...toCorrection(row) })),
    decisions: (await naming('decisions'))
      .filter((row) => row.identification === identification)
      .map((row) => ({ ...toRecord(row), sync: row.sync })),
    standing: (await naming('standing_decisions'))
      .filter((row) => row.identification === identification || row.other === identification)
      .map(toStanding),
    leavers: (await naming('leavers')).map(toLeaver),
    requests: (await naming('triggers')).map(({ id, sync, requested_at: at }) => {
      return { trigger: id, sync, requestedAt: at };
    }),
    notices: (await naming('alert_deliveries')).length,
    rawTexts: (await naming('raw_texts')).length,
    auditEntries: (await naming('audit')).length,
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
      .where((eb) => eb.and({ connection, hash: hash(connection, identification) }))
      .executeTakeFirst();
    if (row !== undefined) found.push({ connection, entry: toEntry(row, identification), at: row.forgotten_at });
  }
  return found;
}

interface Person {
  readonly identification: string;
  /** Finds the identification in a text as a whole word, so that `E1` does not match in `E12`. */
  readonly mention: RegExp;
  /** Patterns of `like` that find at least the texts with a mention. */
  readonly patterns: readonly string[];
}

function personNamed(identification: string): Person {
  const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  // As it is, and as it is within JSON text.
  const forms = [...new Set([identification, JSON.stringify(identification).slice(1, -1)])];
  const mention = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${forms.map(quoted).join('|')})(?![\\p{L}\\p{N}_])`, 'gu');
  // Both databases use a backslash only when it is declared, so `_` matches any character instead.
  const patterns = forms.map((form) => `%${form.replace(/[%\\]/g, '_')}%`);
  return { identification, mention, patterns };
}

/** Returns the rows of a table that name the person in one of its declared columns, in order of key. */
async function rowsNaming<Table extends keyof Schema>(
  db: Database,
  keys: KeyRing,
  table: Table,
  person: Person,
): Promise<readonly Selectable<Schema[Table]>[]> {
  const columns = declaredColumns(table).filter(({ forgotten }) => forgotten !== undefined);
  if (columns.length === 0) return [];
  const isMeant = sql<boolean>`(${sql.join(
    columns.map((column) => mayName(column, person)),
    sql` or `,
  )})`;
  const wanted = db
    .selectFrom(table as 'runs')
    .selectAll()
    .where(isMeant);
  const ordered = keyOf(table).reduce((query, name) => query.orderBy(sql.ref(name)), wanted);
  const rows = (await ordered.execute()) as unknown as readonly Selectable<Schema[Table]>[];
  return rows.filter((row) => columns.some((column) => isNamed(column, row, keys, person)));
}

function mayName({ name, isExact, sealedBy }: DeclaredColumn, person: Person): RawBuilder<unknown> {
  if (sealedBy !== undefined) return sql`${sql.ref(name)} is not null`;
  if (isExact === true) return sql`${sql.ref(name)} = ${person.identification}`;
  return sql.join(
    person.patterns.map((pattern) => sql`${sql.ref(name)} like ${pattern}`),
    sql` or `,
  );
}

function isNamed(
  { table, name, isExact, sealedBy, actions }: DeclaredColumn,
  row: Readonly<Record<string, unknown>>,
  keys: KeyRing,
  { identification, mention }: Person,
): boolean {
  const value = row[name];
  if (typeof value !== 'string' || actions?.some((action) => action === row.action) === false) return false;
  if (isExact === true) return value === identification;
  const text = sealedBy === undefined ? value : keys.open(value, placeOf(table, name as never, row));
  return text.search(mention) !== -1;
}

/** What a text shows instead of an identification that was forgotten. */
const erased = '(forgotten)';

/** Deletes or rewrites the rows of a table that name the person, as its columns are declared. */
async function eraseFrom(db: OpenTransaction, keys: KeyRing, table: keyof Schema, person: Person): Promise<void> {
  const columns = declaredColumns(table).filter(({ forgotten = 'own' }) => forgotten !== 'own');
  if (columns.length === 0) return;
  const rows: readonly Readonly<Record<string, unknown>>[] = await rowsNaming(db, keys, table, person);
  for (const row of rows) {
    const named = columns.filter((column) => isNamed(column, row, keys, person));
    const isRow = isSameRow(keyOf(table), row);
    if (named.some(({ forgotten }) => forgotten === 'row')) {
      await sql`delete from ${sql.table(table)} where ${isRow}`.execute(db);
    } else if (named.length > 0) {
      const values = named.map(
        ({ name, forgotten }) => sql`${sql.ref(name)} = ${textWithout(String(row[name]), forgotten, person)}`,
      );
      // With the salt gone, no one can guess the texts from what the chain of the audit keeps of them.
      if (table === 'audit') values.push(sql`salt = null`);
      await sql`update ${sql.table(table)} set ${sql.join(values)} where ${isRow}`.execute(db);
    }
  }
}

function textWithout(
  text: string,
  forgotten: DeclaredColumn['forgotten'],
  { identification, mention }: Person,
): string | null {
  if (forgotten === 'null') return null;
  if (forgotten === 'mention') return text.replaceAll(mention, erased);
  const scope = JSON.parse(text) as { readonly identifications?: readonly string[] };
  const { identifications } = scope;
  if (identifications === undefined) return text;
  return JSON.stringify({ ...scope, identifications: identifications.filter((name) => name !== identification) });
}
