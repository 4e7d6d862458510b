import { sql } from 'kysely';
import {
  type PastStanding,
  pager,
  pastStanding,
  type RosterHeader,
  type RosterPage,
  rosterWidth,
  saltedHash,
} from '../../core/plan/roster.ts';
import type { Past } from '../../ports/reads.ts';
import type { Rosters } from '../../ports/store.ts';
import type { Database, OpenTransaction, Schema } from '../db/database.ts';
import { RowWriter } from '../db/row-writer.ts';
import { toFinding } from '../runs.ts';

/** A run that made its plan twice keeps what was said before the first one. */
const standingWriter = new RowWriter<'standings', Schema['standings']>('standings', { where: sql`1 = 0` });

interface RosterChange {
  readonly changed: readonly RosterPage[];
  readonly startedAt: number;
  /** A guard doubts the read. The roster stays, so that what it says counts again after the run. */
  readonly isDoubted: boolean;
}

/**
 * Notes what the roster said of the people of whom the read of a run says something else, before pages of it are written.
 * Reads the pages that change. Returns from when on the past is known.
 */
export async function noteStandings(
  db: OpenTransaction,
  { sync, run, salt, pages }: Pick<RosterHeader, 'sync' | 'run' | 'salt' | 'pages'>,
  { changed, startedAt, isDoubted }: RosterChange,
): Promise<number> {
  const last = await db
    .selectFrom('rosters')
    .select(['people_pages', 'known_since', 'salt'])
    .where('sync', '=', sync)
    .executeTakeFirst();
  if (last === undefined || last.salt !== salt) {
    await db.deleteFrom('standings').where('sync', '=', sync).execute();
    return startedAt;
  }
  const pageOfKey = pager(pages.people);
  const ratio = last.people_pages / pages.people;
  for (const { page, data } of changed.filter(({ part }) => part === 'people')) {
    const stored = await db
      .selectFrom('roster_pages')
      .select('data')
      .where((eb) => eb.and({ sync, part: 'people' }))
      .where('page', '>=', Math.floor(page * ratio))
      .where('page', '<', Math.max(Math.floor(page * ratio) + 1, (page + 1) * ratio))
      .execute();
    const before = new Map<string, PastStanding>();
    for (const { data: text } of stored) readStandings(fromText(text), (hi) => pageOfKey(hi) === page, before);
    const now = readStandings(data, () => true, new Map());
    const rows = [...new Set([...before.keys(), ...now.keys()])].flatMap((person): Schema['standings'][] => {
      const [was, is] = [before.get(person) ?? 'absent', now.get(person) ?? 'absent'];
      if (was === is) return [];
      const row = { sync, person, run, at: startedAt, before: was };
      return isDoubted ? [row, { ...row, at: startedAt + 1, before: is }] : [row];
    });
    await standingWriter.write(db, rows);
  }
  return last.known_since;
}

function readStandings(
  data: Int32Array,
  isMeant: (hi: number) => boolean,
  into: Map<string, PastStanding>,
): Map<string, PastStanding> {
  for (let at = 0; at < data.length; at += rosterWidth) {
    const [hi, lo, exact, code] = data.subarray(at, at + rosterWidth) as unknown as [number, number, number, number];
    if (isMeant(hi)) into.set(`${hi} ${lo} ${exact}`, pastStanding(code));
  }
  return into;
}

export function fromText(text: string): Int32Array<ArrayBuffer> {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Int32Array(bytes.buffer);
}

function personKey(identification: string, salt: string): string {
  const hash = saltedHash(salt);
  const { hi, lo } = hash.of(identification.toLowerCase());
  return `${hi} ${lo} ${hash.of(identification).hi}`;
}

/** Returns what is stored of the past of one person: what full reads said of them, and the findings of runs. */
export async function readPast(
  db: Database,
  rosters: Pick<Rosters, 'open'>,
  sync: string,
  identification: string,
): Promise<Past> {
  const found = await db
    .selectFrom('findings')
    .innerJoin('runs', 'runs.id', 'findings.run')
    .selectAll('findings')
    .select('runs.started_at')
    .where((eb) => eb.and({ 'findings.identification': identification, 'runs.sync': sync }))
    .orderBy('runs.started_at')
    .orderBy('findings.number')
    .execute();
  const findings = found.map((row) => {
    const { run, started_at: at, until_at: untilAt } = row;
    return { finding: toFinding(row), run, at, untilAt: untilAt ?? at };
  });
  const roster = await rosters.open(sync);
  if (roster === undefined) return { standings: [], findings };
  const rows = await db
    .selectFrom('standings')
    .select(['at', 'run', 'before'])
    .where((eb) => eb.and({ sync, person: personKey(identification, roster.salt) }))
    .orderBy('at')
    .execute();
  const { known_since: since } = await db
    .selectFrom('rosters')
    .select('known_since')
    .where('sync', '=', sync)
    .executeTakeFirstOrThrow();
  const now = (await roster.people([identification])).get(identification)?.find(({ isExact }) => isExact);
  const saidNow = now === undefined ? 'absent' : now.undecided?.now === true ? 'undecided' : now.standing;
  const starts = [{ at: since, run: undefined }, ...rows];
  const said: readonly PastStanding[] = [...rows.map(({ before }) => before), saidNow];
  return { standings: starts.map(({ at, run }, i) => ({ at, run, says: said[i] ?? saidNow })), findings };
}

/** Deletes what rosters said of a person. */
export async function forgetPast(db: OpenTransaction, identification: string): Promise<void> {
  for (const { sync, salt } of await db.selectFrom('rosters').select(['sync', 'salt']).execute()) {
    const person = personKey(identification, salt);
    await db.deleteFrom('standings').where('sync', '=', sync).where('person', '=', person).execute();
  }
}
