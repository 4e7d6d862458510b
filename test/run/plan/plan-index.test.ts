import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import { type Change, compareIdentifications } from '../../../src/core/plan/change.ts';
import type { LedgerEntry } from '../../../src/core/plan/ledger.ts';
import { packRoster, type RosterStanding, saltedHash, standingCode } from '../../../src/core/plan/roster.ts';
import type { ReadEnd } from '../../../src/core/plan/snapshot.ts';
import type { AccountDecision } from '../../../src/core/plan/standing.ts';
import { given } from '../../../src/core/run/given.ts';
import type { FieldRule, SyncSettings, WriteRule } from '../../../src/core/run/settings.ts';
import type { OwnedRun } from '../../../src/ports/store.ts';
import { type Explained, explain } from '../../../src/run/why.ts';
import { endRun, openRun } from '../../contracts/store-samples.ts';
import { drawRuns } from '../../support/drawn.ts';
import { someInstant } from '../../support/fake-clock.ts';
import { planNaively, type World } from '../naive-planner.ts';
import { compilePlainMapping, plainSettings } from '../plain-settings.ts';
import { openPlanScene, type PlanScene } from '../plan-scene.ts';

const dayMs = 86_400_000;

// Few values on purpose: most cases are about two sides that agree, or nearly do.
const identification = fc.constantFrom('a1', 'A1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'ñ8');
const email = fc.constantFrom('', 'ana@example.com', 'Ana@example.com', 'b@example.com', 'c@example.com');
const word = fc.constantFrom('x', 'x', 'x', 'y', 'é');
const optional = fc.constantFrom('x', 'x', '', 'y');
const date = fc.constantFrom('1990-01-02', '1990-01-02', '1991-03-04');

const row = fc
  .record({
    id: fc.oneof({ weight: 30, arbitrary: identification }, { weight: 1, arbitrary: fc.constant('') }),
    email,
    first: fc.oneof({ weight: 12, arbitrary: word }, { weight: 1, arbitrary: fc.constant('') }),
    last: word,
    area: fc.oneof({ weight: 8, arbitrary: optional }, { weight: 1, arbitrary: fc.constantFrom('x\ny', 'x\u0007') }),
    born: fc.oneof({ weight: 8, arbitrary: date }, { weight: 3, arbitrary: fc.constantFrom('', '', '', '', 'soon') }),
    job: optional,
    seniority: optional,
    status: fc.constantFrom('active', 'active', 'active', 'active', 'left', 'left', 'asleep'),
    hired: fc.constantFrom('2020-01-01', '2020-01-01', '2020-01-01', '2030-01-01', 'soon'),
    leaves: fc.constantFrom('', '', '', '2020-02-02', '2030-01-01', 'soon'),
    type: fc.constantFrom('staff', 'staff', 'staff', 'guest'),
  })
  .map((fields): Omit<SourceRecord, 'at'> => ({ fields }));

const shown = (text: string) => (text === '' ? undefined : text);

/** Mostly the e-mail that another person of the source wants: chains and circles. */
const shownEmail = fc.oneof(
  email,
  fc.constantFrom('a1@example.com', 'b2@example.com', 'c3@example.com', 'd4@example.com'),
);

const user = fc
  .record({
    identification,
    enabled: fc.constantFrom(true, true, true, false),
    email: shownEmail,
    firstName: word,
    lastName: word,
    area: optional,
    birthDate: date,
    isDateUnreadable: fc.constantFrom(false, false, false, false, true),
  })
  .map(({ identification: name, enabled, isDateUnreadable, ...values }): Omit<User, 'id'> => {
    const entries = Object.entries(values).filter(([key, text]) => {
      return shown(text) !== undefined && !(key === 'birthDate' && isDateUnreadable);
    });
    const unreadable = isDateUnreadable ? ['birthDate'] : [];
    return { identification: name, enabled, fields: Object.fromEntries(entries), unreadable };
  });

const instant = fc.constantFrom(someInstant - 40 * dayMs, someInstant - 2 * dayMs, someInstant - 1000);
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

/** `shown` becomes the id of the user that has the identification; `gone` is no user's. */
const accounts = ['shown', 'shown', 'shown', 'shown', 'gone', undefined] as const;

const entry: fc.Arbitrary<LedgerEntry> = fc
  .record({
    identification,
    owner: fc.constantFrom('people', 'people', 'people', 'people', 'other', 'nobody'),
    accountId: fc.constantFrom(...accounts),
    hidden: fc.record({ job: word, seniority: optional, birthDate: date, area: optional }, { requiredKeys: [] }),
    quirks: rarely(fc.record({ firstName: fc.constant({ sent: 'y', observed: 'x' }) })),
    unverified: fc.constantFrom(0, 1, 3),
    disabledAt: rarely(instant),
    goneSince: rarely(instant),
    misses: rarely(fc.record({ count: fc.constantFrom(1, 2), since: instant, stamp: fc.constantFrom('s1', 's2') })),
    removed: rarely(fc.record({ at: instant, blacklist: fc.boolean() })),
    writtenAt: rarely(instant),
  })
  .map(({ quirks = {}, accountId, disabledAt, goneSince, misses, removed, writtenAt, ...rest }) => ({
    ...rest,
    quirks,
    ...(accountId === undefined ? {} : { accountId }),
    ...(disabledAt === undefined ? {} : { disabledAt }),
    ...(goneSince === undefined ? {} : { goneSince }),
    ...(misses === undefined ? {} : { misses }),
    ...(removed === undefined ? {} : { removed }),
    ...(writtenAt === undefined ? {} : { writtenAt }),
  }));

const end = (rows: number): fc.Arbitrary<ReadEnd> =>
  fc.constantFrom<ReadEnd>(
    { complete: true, rows, evidence: 'all of it', stamp: 's1' },
    { complete: true, rows, evidence: 'all of it', stamp: 's3' },
    { complete: false, rows, reasons: ['it was cut'] },
  );

/** One identification on all three sides, which mostly agree: what nearly everybody is like. */
const person = fc
  .record({
    identification,
    row,
    user,
    entry,
    isInSource: fc.constantFrom(true, true, true, true, false),
    userIs: fc.constantFrom(
      'equal',
      'equal',
      'equal',
      'unreadable',
      'unreadable',
      'disabled',
      'another',
      'passed',
      'absent',
    ),
    passed: shownEmail,
    ledgerIs: fc.constantFrom('plain', 'plain', 'touched', 'touched', 'unknown', 'another'),
    touch: fc.constantFrom<(keyof LedgerEntry)[]>(
      'owner',
      'accountId',
      'hidden',
      'hidden',
      'hidden',
      'quirks',
      'unverified',
      'disabledAt',
      'goneSince',
      'misses',
      'removed',
    ),
    hasOwnEmail: fc.constantFrom(true, true, true, false),
  })
  .map(({ identification: name, isInSource, userIs, passed, ledgerIs, touch, hasOwnEmail, ...sides }) => {
    const own = hasOwnEmail ? { email: `${name.toLowerCase()}@example.com` } : {};
    const fields = { ...sides.row.fields, ...own, id: name } as Readonly<Record<string, string>>;
    return {
      rows: isInSource ? [{ fields }] : [],
      users:
        userIs === 'absent'
          ? []
          : [
              userIs === 'another'
                ? { ...sides.user, identification: name }
                : equalUser(userIs === 'passed' ? { ...fields, email: passed } : fields, userIs),
            ],
      entries: ledgerIs === 'unknown' ? [] : [entryOf(fields, sides.entry, ledgerIs === 'touched' ? touch : ledgerIs)],
    };
  });

function equalUser(fields: Readonly<Record<string, string>>, how: string): Omit<User, 'id'> {
  const { id = '', email: mail = '', first = '', last = '', area = '', born = '' } = fields;
  const isUnreadable = how === 'unreadable' || born === 'soon';
  const values = { email: mail, firstName: first, lastName: last, area, birthDate: isUnreadable ? '' : born };
  const entries = Object.entries(values).filter(([, text]) => text !== '');
  const unreadable = isUnreadable ? ['birthDate'] : [];
  return { identification: id, enabled: how !== 'disabled', fields: Object.fromEntries(entries), unreadable };
}

function entryOf(
  { id = '', job = '', seniority = '', born = '', area = '', email: mail = '' }: Readonly<Record<string, string>>,
  other: LedgerEntry,
  how: 'plain' | 'another' | keyof LedgerEntry,
): LedgerEntry {
  if (how === 'another') return { ...other, identification: id };
  const hidden = { ...(job === '' ? {} : { job }), seniority, birthDate: born, area, email: mail };
  const plain = { identification: id, owner: 'people', accountId: 'shown', hidden, quirks: {}, unverified: 0 };
  if (how === 'accountId' && other.accountId === undefined) {
    const { accountId: _, ...rest } = plain;
    return rest;
  }
  // One value off: a date, which matters only where the platform's own cannot be read, or whatever else is known.
  if (how === 'hidden') {
    const { birthDate } = other.hidden;
    return { ...plain, hidden: { ...hidden, ...(birthDate === undefined ? other.hidden : { birthDate }) } };
  }
  return how === 'plain' || other[how] === undefined ? plain : { ...plain, [how]: other[how] };
}

/** What the other sync's last full read showed of some of these people; a read of 25 hours ago is too old. */
function othersOf(names: readonly string[]): fc.Arbitrary<World['others']> {
  const standing = fc.constantFrom<RosterStanding>('active', 'active', 'leaver', 'out-of-scope', 'other');
  const shown = [...new Set(names.map((name) => name.normalize('NFC').trim()))].filter((name) => name !== '');
  const some = fc
    .subarray(shown)
    .chain((list) => fc.tuple(...list.map((name) => fc.tuple(fc.constant(name), standing))));
  return fc.option(
    fc.record({ standings: some.map((pairs) => new Map(pairs)), ageMs: fc.constantFrom(0, 3_600_000, 90_000_000) }),
    { nil: undefined, freq: 4 },
  );
}

/** Decisions to disable some of the accounts, of which a few were made again since. */
function decisionsAbout(users: readonly Omit<User, 'id'>[]): fc.Arbitrary<readonly AccountDecision[]> {
  const known = new Map(users.map(({ identification: name }, at) => [name, String(at + 1)]));
  const some = fc.subarray([...known]).chain((list) =>
    fc.tuple(
      ...list.map(([name, id]) =>
        fc.constantFrom(id, id, id, 'gone').map((accountId): AccountDecision => {
          return { way: 'disable', identification: name, accountId, by: 'ana', why: 'left in May' };
        }),
      ),
    ),
  );
  return fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some });
}

/** Somebody who left, and whose e-mail an active employee is to get. */
const successor = fc
  .record({
    isEnabled: fc.constantFrom(false, false, false, true),
    owner: fc.constantFrom('people', 'people', 'people', 'other', undefined),
    name: fc.constantFrom('Left', 'Left', 'Came', ''),
    disabledAt: fc.constantFrom(someInstant - 5 * dayMs, someInstant - 40 * dayMs, undefined),
    ignored: fc.constantFrom(undefined, undefined, 1, 3),
    hasAccount: fc.boolean(),
    isPlaceTaken: fc.constantFrom(false, false, false, false, true),
  })
  .map(({ isEnabled, owner, name, disabledAt, ignored, hasAccount, isPlaceTaken }) => {
    const mail = 'desk@example.com';
    const blank = { area: '', born: '', job: '', seniority: '', hired: '2020-01-01', type: 'staff' };
    const row = (id: string, rest: Readonly<Record<string, string>>) => ({ fields: { ...blank, id, ...rest } });
    const shown = (first: string, email: string) =>
      first === '' ? { email } : { email, firstName: first, lastName: first };
    const sent = 'l8@parked.example';
    const quirks = ignored === undefined ? {} : { email: { sent, observed: mail, ignored } };
    const entry = { identification: 'l8', hidden: {}, quirks, unverified: 0, ...(disabledAt ? { disabledAt } : {}) };
    return {
      rows: [
        row('l8', { email: mail, first: 'Left', last: 'Left', status: 'left' }),
        row('q9', { email: mail, first: 'Came', last: 'Came', status: 'active' }),
        ...(isPlaceTaken ? [row('p7', { email: sent, first: 'x', last: 'x', status: 'active' })] : []),
      ],
      users: [
        { identification: 'l8', enabled: isEnabled, fields: shown(name, mail), unreadable: [] },
        ...(hasAccount
          ? [{ identification: 'q9', enabled: true, fields: shown('Came', 'old@example.com'), unreadable: [] }]
          : []),
      ],
      entries: owner === undefined ? [] : [{ ...entry, owner }],
    };
  });

const world: fc.Arbitrary<World> = fc
  .record({
    successors: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(successor) }),
    people: fc.uniqueArray(person, {
      minLength: 1,
      maxLength: 6,
      selector: ({ rows, users, entries }) =>
        rows[0]?.fields.id ?? users[0]?.identification ?? entries[0]?.identification,
    }),
    rows: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(row, { maxLength: 2 }) },
    ),
    users: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(user, { maxLength: 2 }) },
    ),
  })
  .map(({ people, successors, rows, users }) => ({
    rows: [...[...people, ...successors].flatMap((one): readonly Omit<SourceRecord, 'at'>[] => one.rows), ...rows],
    users: [...[...people, ...successors].flatMap((one): readonly Omit<User, 'id'>[] => one.users), ...users],
    ledger: [...people, ...successors].flatMap((one) => one.entries),
  }))
  .filter(({ rows }) => rows.length > 0)
  .chain(({ rows, users, ledger }) =>
    fc
      .tuple(
        end(rows.length),
        othersOf([
          ...rows.map(({ fields }) => String(fields.id ?? '')),
          ...[...ledger, ...users].map(({ identification: id }) => id),
        ]),
        decisionsAbout(users),
      )
      .map(([readEnd, others, toDisable]) => ({
        toDisable,
        ...(others === undefined ? {} : { others }),
        records: rows.map(({ fields }, i) => ({ at: `line ${i + 2}`, fields })),
        end: readEnd,
        users: users.map((one, i) => ({ ...one, id: String(i + 1) })),
        ledger: ledger
          .map((known) => {
            if (known.accountId !== 'shown') return known;
            const at = users.findIndex(({ identification: name }) => name === known.identification);
            return { ...known, accountId: String(at + 1) };
          })
          .toSorted((a, b) => compareIdentifications(a.identification, b.identification)),
      })),
  );

const write = fc.constantFrom<(WriteRule | undefined)[]>(undefined, 'onCreate', 'ifEmpty', 'keepLocalEdits');

/** The fields whose rule says who decides. Only `keepLocalEdits` may clear. */
function ruledFields(
  writes: Readonly<Partial<Record<'area' | 'birthDate' | 'job' | 'seniority' | 'email', WriteRule | undefined>>>,
) {
  return Object.fromEntries(
    Object.entries(writes).flatMap(([name, one]) => {
      const rule = plainSettings.mapping.fields[name as keyof typeof writes] as FieldRule;
      const whenEmpty = one === 'keepLocalEdits' ? rule.whenEmpty : 'keep';
      return one === undefined ? [] : [[name, { ...rule, whenEmpty, write: one } satisfies FieldRule]];
    }),
  );
}

const settings: fc.Arbitrary<SyncSettings> = fc
  .record({
    policy: fc.constantFrom<SyncSettings['policy']>('sync', 'sync', 'upsert-only', 'create-only'),
    match: fc.constantFrom<SyncSettings['match']>(['identification', 'email'], ['identification']),
    missing: fc.constantFrom<SyncSettings['missing']>('never', { afterReads: 2, minAgeMs: 3_600_000 }),
    outOfScope: fc.constantFrom<SyncSettings['outOfScope']>('ignore', 'disable'),
    firstSight: fc.constantFrom<SyncSettings['firstSight']>('write', 'assume'),
    foreignDisable: fc.constantFrom<SyncSettings['foreignDisable']>('report', 'enable'),
    parkEmail: fc.constantFrom(undefined, '{identification}@parked.example'),
    protected: fc.constantFrom<readonly string[]>([], ['b2']),
    remove: fc.constantFrom<SyncSettings['remove']>('never', { afterMs: 30 * dayMs, blacklist: true }),
    writes: fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.record({ area: write, birthDate: write, job: write, seniority: write, email: write }),
      },
    ),
  })
  .map(({ parkEmail, writes, ...chosen }) => ({
    ...plainSettings,
    ...chosen,
    mapping: { ...plainSettings.mapping, fields: { ...plainSettings.mapping.fields, ...ruledFields(writes) } },
    ...(parkEmail === undefined ? {} : { parkEmail }),
  }));

/** A scene of this world before any plan was made, with its ledger and the roster of the sync `other`. */
async function openWorld(world: World, settings: SyncSettings, otherSyncs: readonly string[]): Promise<PlanScene> {
  const { records, users } = world;
  const scene = await openPlanScene({ records, users, settings, otherSyncs });
  scene.source.end = world.end;
  scene.script.pageSize = 3;
  const owned = await openRun(scene.store, { id: 'run_0', sync: 'before' });
  await scene.store.ledger.put(owned, world.ledger);
  for (const [at, { by, why, ...decision }] of (world.toDisable ?? []).entries()) {
    const place = { sync: settings.name, connection: settings.connection };
    const said = { action: 'decide-accounts', run: undefined, detail: undefined, ...given({ reason: why }) } as const;
    await scene.store.standing.add(
      { ...decision, ...place },
      { id: `audit_${at}`, at: someInstant, by, ...place, ...said },
    );
  }
  if (world.others !== undefined) await putRoster(scene, owned, world.others);
  await endRun(scene.store, owned);
  return scene;
}

/** Stores what the last accepted full read of the sync `other` showed. */
async function putRoster({ store }: PlanScene, owned: OwnedRun, others: NonNullable<World['others']>): Promise<void> {
  const hash = saltedHash('s');
  const entries = [...others.standings].flatMap(([name, standing]) => {
    const { hi, lo } = hash.of(name.toLowerCase());
    return [hi, lo, hash.of(name).hi, standingCode(standing)];
  });
  const pages = packRoster('people', Int32Array.from(entries));
  const at = someInstant - others.ageMs;
  const counts = { people: pages.length, emails: 1 };
  const header = { sync: 'other', run: 'run_0', at, fingerprint: 'f1', salt: 's', rows: 1, pages: counts };
  await store.rosters.put(owned, header, pages);
}

/** Runs the planner over the world, and returns what it wrote. */
async function planByIndex(world: World, settings: SyncSettings, otherSyncs: readonly string[]) {
  const scene = await openWorld(world, settings, otherSyncs);
  const { plan, changes } = await scene.plan();
  const pages = await Array.fromAsync(scene.store.ledger.all(settings.connection));
  await scene.store.close();
  return { plan, changes, ledger: new Map(pages.flat().map((entry) => [entry.identification, entry])) };
}

/** Returns what `why` says about each of these people in the world. */
async function explainByIndex(
  world: World,
  settings: SyncSettings,
  names: readonly string[],
): Promise<ReadonlyMap<string, Explained>> {
  const { sync, io, stopping, store } = await openWorld(world, settings, ['other']);
  const explained = new Map<string, Explained>();
  for (const name of names) explained.set(name, await explain(name, sync, io, stopping.signal));
  await store.close();
  return explained;
}

it('the index decides exactly what the truth table decides on whole records, and why says the same', async () => {
  await fc.assert(
    fc.asyncProperty(world, settings, async (given, chosen) => {
      const facts = { now: someInstant, syncs: new Set(['people', 'other']) };
      const mapping = compilePlainMapping(chosen);
      const { plan, changes, ledger } = await planByIndex(given, chosen, ['other']);
      if (isAnybodyUsable(given, mapping)) {
        const naive = await planNaively(given, mapping, chosen, facts);
        expect(hashes(changes)).toEqual(hashes(naive.changes));
        expect(ledger).toEqual(naive.ledger);
      } else {
        // A read that says nothing of anybody is a failure, and nothing follows from it.
        expect(plan.failure).toContain('but none of them can be used');
        expect(changes).toEqual([]);
        expect([...ledger.values()]).toEqual(given.ledger);
      }
      const mapped = await Promise.all(given.records.map((record) => mapping.map(record, someInstant)));
      const named = mapped.flatMap((one) => (one.kind === 'unreadable' ? [] : [one.identification]));
      const known = [...given.users, ...given.ledger].map(({ identification }) => identification);
      const names = [...new Set([...named, ...known])];
      for (const [name, { decision, failure }] of await explainByIndex(given, chosen, names)) {
        expect(failure).toBe(plan.failure?.replace(/: nothing was changed.*/s, ''));
        const planned = changes.find(({ identification }) => identification === name);
        expect({ name, ...shownOf(decision?.change) }).toEqual({ name, ...shownOf(planned) });
      }
    }),
    { numRuns: drawRuns(300) },
  );
}, 600_000);

/** What `why` and the plan say of a change. */
function shownOf({ kind, after, changed, reason }: Partial<Change> = {}) {
  return { kind, after, changed, reason };
}

function isAnybodyUsable({ records }: World, mapping: ReturnType<typeof compilePlainMapping>): boolean {
  return records.some((record) => {
    const mapped = mapping.map(record, someInstant);
    return 'kind' in mapped && mapped.kind === 'person' && mapped.standing !== 'unknown';
  });
}

function hashes(changes: readonly { identification: string; kind: string; hash: string }[]): string[] {
  return changes
    .toSorted((a, b) => compareIdentifications(a.identification, b.identification))
    .map(({ identification: name, kind, hash }) => `${name} ${kind} ${hash}`);
}
