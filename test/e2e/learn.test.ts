import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type LearnReport, learnConnection } from '../../src/app/learn.ts';
import type { LearnedSetting } from '../../src/ports/api.ts';
import { seededRandom } from '../../src/sandbox/people/seed-users.ts';
import type { SandboxQuirks } from '../../src/sandbox/quirks.ts';
import { drawSeeds } from '../support/drawn.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { employees, type Office, openOffice, usersOf } from '../support/office.ts';
import { until } from '../support/services/redis.ts';

failOnLeaks();

const testId = 'learn-1';

interface LearnAsked {
  readonly user?: string;
  readonly confirm?: (write: string) => Promise<boolean>;
  readonly signal?: AbortSignal;
}

function learn(office: Office, asked: LearnAsked = {}): Promise<LearnReport> {
  const order = { user: testId, confirm: async () => true, signal: AbortSignal.timeout(200_000), ...asked };
  return learnConnection(office.app, { connection: 'acme', by: 'ana', onLine: () => {}, say: () => {}, ...order });
}

/** Everything that the store holds, as text. */
function storedText({ folder }: Office): string {
  const db = new Database(join(folder, '.rollcall/rollcall.db'), { readonly: true });
  try {
    const names = db.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
    return names.map((name) => JSON.stringify(db.prepare(`select * from "${name}"`).all())).join('\n');
  } finally {
    db.close();
  }
}

function expectNoTrace(office: Office, others: number, user = testId): void {
  const { users, blacklist, log } = office.sandbox.state;
  expect([...users.keys()].filter((name) => name.startsWith(user))).toEqual([]);
  expect(users.size).toBe(others);
  expect(blacklist.size).toBe(0);
  expect(log.filter(({ identification }) => identification !== user)).toEqual([]);
  expect(storedText(office)).not.toContain(user);
}

/** A platform with random quirks, and a connection with a random dialect. */
function drawDialect(seed: number) {
  const random = seededRandom(seed);
  const pick = <T>(...values: readonly [T, ...T[]]): T => values[Math.floor(random() * values.length)] ?? values[0];
  const encodings = ['multipart', 'json', 'json-base64'] as const;
  const [doneStatus, failedStatus] = pick(
    ['Processed', 'Failed'],
    ['Listo', 'Con errores'],
    ['DONE', 'ERROR'],
    ['Concluído', 'Recusado'],
    ['Imported', 'Not imported'],
  );
  const quirks: Partial<SandboxQuirks> = {
    parameters: pick('query', 'body'),
    maxPageSize: pick(7, 20, 1000),
    missingUser: pick(400, 404, 500),
    emptyCell: pick('clears', 'keeps'),
    put: pick('merges', 'replaces'),
    userId: pick('id', 'uid', 'identification'),
    enableBy: pick('U', 'I'),
    uploadEncodings: pick([...encodings], ['multipart'], ['json'], ['json-base64']),
    busyUpload: pick('400', '409', '423', 'queue'),
    fileFailure: pick('none-applied', 'good-applied', 'says-done'),
    monthNames: pick('en', 'es', 'pt'),
    hideDateField: pick('', '', 'orgEntryDate', 'birthDate'),
    trims: pick(0, 0, 12),
    ignoresField: pick([], [], ['area']),
    touch: pick('always', 'changes'),
    csvDateFormat: pick('yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy'),
    uniqueEmail: pick(true, false),
    ...{ doneStatus, failedStatus },
  };
  const dialect = {
    search: { parameters: pick('query', 'body'), pageSize: pick(10, 500) },
    upload: { encoding: pick(...encodings) },
    enableBy: pick('U', 'I'),
    csv: {
      header: pick('used', 'full'),
      emptyCell: pick('clears', 'keeps'),
      dateFormat: pick('yyyy-MM-dd', 'dd/MM/yyyy'),
    },
    put: pick('merges', 'replaces'),
    userId: pick('id', 'uid', 'identification'),
    mayClear: ['job', 'phoneNumber', 'seniority', 'office'].slice(0, 3),
  };
  const faults = pick<readonly string[]>([], [], ['late=30000']);
  return { quirks, dialect, faults };
}

describe('learn', () => {
  it.each(drawSeeds(30, 4))(
    'finds every setting of a random dialect, and leaves no trace: %d',
    { timeout: 120_000 },
    async (seed) => {
      const { quirks, dialect, faults } = drawDialect(seed);
      const people = [...usersOf(employees(25))].map((user, i) => {
        return { ...user, enabled: i % 9 !== 0, fields: { ...user.fields, orgEntryDate: `2020-0${1 + (i % 9)}-15` } };
      });
      const office = await openOffice({ sandbox: { people, quirks }, dialect });

      const report = await learn(office);

      expect(report).toMatchObject({ user: testId });
      expect([report.stopped, report.left], JSON.stringify(report.lines, undefined, 1)).toEqual([undefined, undefined]);
      const encoding = quirks.uploadEncodings?.includes(dialect.upload.encoding)
        ? dialect.upload.encoding
        : quirks.uploadEncodings?.[0];
      const expected: Partial<Record<LearnedSetting, unknown>> = {
        'search.parameters': quirks.parameters,
        'upload.encoding': encoding,
        'csv.header': 'used',
        'csv.emptyCell': quirks.emptyCell,
        'csv.dateFormat': quirks.csvDateFormat,
        put: quirks.put,
        userId: quirks.userId,
        enableBy: quirks.enableBy,
        rolesToken: 'access',
      };
      expect(report.learned, JSON.stringify(report.lines, undefined, 1)).toMatchObject(expected);
      expect(report.learned['search.pageSize']).toBe((quirks.maxPageSize ?? 0) < 25 ? quirks.maxPageSize : undefined);
      expect(wordsOf(report, 'status.done')).toContain(quirks.doneStatus?.toLowerCase());
      expect(wordsOf(report, 'status.pending')).toContain('processing');
      const failed = wordsOf(report, 'status.failed');
      if (quirks.fileFailure === 'says-done') expect(failed).toEqual([]);
      else expect(failed).toContain(quirks.failedStatus?.toLowerCase());
      if (quirks.hideDateField === 'orgEntryDate') expect(report.learned.monthNames).toBeUndefined();
      else expect(report.learned.monthNames).toEqual(quirks.monthNames === 'en' ? ['en'] : ['en', quirks.monthNames]);
      const within = Number.parseInt(String(report.learned['settle.visibleWithin']), 10);
      expect(within * 60_000).toBeGreaterThan(faults.length === 0 ? 0 : 30_000);
      expectNoTrace(office, people.length);
    },
  );
});

describe('learn never hurts', () => {
  const crowd = () => usersOf(employees(6));
  const kinds = ({ sandbox }: Office) =>
    sandbox.state.log.map(({ identification, kind }) => `${kind} ${identification}`);

  it('stops after the first file when another user has moved, says who, and removes the test user', async () => {
    const office = await openOffice({ sandbox: { people: crowd() } });
    const confirm = async (write: string) => {
      if (write.includes('I learn-1')) office.sandbox.state.patchUser('E3', { fields: { area: 'Elsewhere' } });
      return true;
    };

    const report = await learn(office, { confirm });

    expect(report.stopped).toContain('1 other user changed between the two scans (E3)');
    expect(report.left).toBeUndefined();
    expect(kinds(office).filter((line) => !line.endsWith('E3'))).toEqual(['created learn-1', 'removed learn-1']);
    expect(storedText(office)).not.toContain(testId);
  });

  it('sends no userId that another user has as id, uid or identification', async () => {
    const office = await openOffice({ sandbox: { people: crowd(), quirks: { userId: 'identification' } } });
    // The next account has the id 1008, and the platform takes an identification as userId.
    const next = 1000 + 6 + 2;
    const trap = { identification: String(next), enabled: true, fields: { firstName: 'Ana', lastName: 'Trap' } };
    const trapped = await openOffice({
      sandbox: { people: [...crowd(), trap], quirks: { userId: 'identification' } },
    });

    const [free, caught] = [await learn(office), await learn(trapped)];

    expect([free.learned.userId, caught.learned.userId]).toEqual(['identification', 'identification']);
    expect(caught.lines.find(({ setting }) => setting === 'userId')?.evidence).toContain('its id was not sent');
    expect(trapped.sandbox.state.log.filter(({ identification }) => identification !== testId)).toEqual([]);
    expect(trapped.sandbox.state.requests.update).toBe((office.sandbox.state.requests.update ?? 0) - 1);
  });

  it.each([
    ['the platform', 'E3'],
    ['the platform, in other case', 'e3'],
    ['a sync alone', 'E9'],
    ['no path', '..'],
  ])('refuses a test user that is known to %s, and writes nothing', async (_, user) => {
    const rows = [
      ...employees(6),
      ...employees(9)
        .slice(8)
        .map((row) => ({ ...row, status: 'left' })),
    ];
    const office = await openOffice({ sandbox: { people: crowd() } });
    await office.applyRows(rows);
    const before = office.sandbox.state.log.length;

    await expect(learn(office, { user })).rejects.toMatchObject({ code: 'USAGE' });
    expect(office.sandbox.state.log).toHaveLength(before);
    expect(office.sandbox.state.files.size).toBe(0);
  });

  it('writes nothing when the first file is declined, and goes without a write that is declined', async () => {
    const office = await openOffice({ sandbox: { people: crowd() } });
    const none = await learn(office, { confirm: async () => false });
    expect(none.stopped).toContain('declined');
    expect(office.sandbox.state.log).toEqual([]);

    const some = await learn(office, { confirm: async (write) => !write.startsWith('PUT') });
    expect(some.stopped).toBeUndefined();
    expect(some.lines).toContainEqual({ setting: 'put', evidence: 'the write was declined' });
    expect(some.learned['csv.emptyCell']).toBe('clears');
    expectNoTrace(office, 6);
  });

  it('disables and names the test user when the platform refuses its removal', async () => {
    const office = await openOffice({ sandbox: { people: crowd() }, faults: ['delete:status=403'] });

    const report = await learn(office);

    expect(report.left).toMatchObject({ user: testId, state: 'disabled', why: expect.stringContaining('403') });
    expect(office.sandbox.state.users.get(testId)?.enabled).toBe(false);
  });

  it('removes what a stopped learn has left, also a row that was still in flight, before it begins', async () => {
    const office = await openOffice({ sandbox: { people: crowd(), processingMs: 20_000 } });
    const stop = new AbortController();
    const confirm = async (write: string) => {
      // The file of the first row is on its way when the process ends.
      if (write.includes('I learn-1')) {
        void until(async () => office.sandbox.state.files.size > 0).then(() => stop.abort(new Error('killed')));
      }
      return true;
    };
    await expect(learn(office, { confirm, signal: stop.signal })).rejects.toBeDefined();
    expect(storedText(office)).toContain(testId);
    // A process that was killed also leaves its leases.
    const { leases, turns } = office.engine.io.store;
    const now = office.clock.now();
    await leases.take('learn:acme', 'killed', 15_000, now);
    await turns.take({ name: 'file:acme', owner: 'learn:acme', ttlMs: 600_000, placeMs: 60_000 }, now);

    const report = await learn(office, { user: 'learn-2' });

    expect([report.stopped, report.left]).toEqual([undefined, undefined]);
    expect(kinds(office).slice(0, 2)).toEqual(['created learn-1', 'removed learn-1']);
    expect([...office.sandbox.state.users.keys()].filter((name) => name.startsWith('learn-'))).toEqual([]);
    expect(storedText(office)).not.toContain('learn-');
  });
});

function wordsOf({ learned }: LearnReport, setting: LearnedSetting): readonly string[] {
  const words = learned[setting];
  return Array.isArray(words) ? words.map((word) => String(word).toLowerCase()) : [];
}
