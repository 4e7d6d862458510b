import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startVendor, type VendorReply, type VendorRequest } from '../fakes/hris/vendor-server.ts';
import { casesFolder, type PlayedCase, playCase } from './hr-case.ts';

type Check = (played: PlayedCase) => void;

const leaverGone: Check = ({ last, isEnabled }) => {
  expect(isEnabled('E120')).toBe(false);
  expect(isEnabled('E121')).toBe(true);
  expect(last.report().counts).toMatchObject({ create: 0, disable: 1 });
  expect(last.code).toBe(0);
};

/** What must be true after the last command of each case about files and what surrounds the cells that are read. */
const rightOfFiles: Readonly<Record<string, Check>> = {
  '07A-quote-in-plain-cell': leaverGone,
  '07C-backslash-quotes': leaverGone,
  '07D-space-before-quote': (played) => {
    leaverGone(played);
    expect(played.fields('E110')?.area).toBe('Ops');
  },
  '08A-excel-short-rows': leaverGone,
  '08B-row-trailing-delimiter': leaverGone,
  '08C-header-trailing-delimiter': leaverGone,
  '08D-duplicate-unmapped-columns': leaverGone,
  '09A-title-lines': ({ last }) =>
    expect(`${last.stdout}${last.stderr}`).toMatch(/Line 4 looks like the header: set source.skipLines: 3/),
  '09D-ctrl-z': leaverGone,
  '16A-windows-1250': ({ last, identifications, fields }) => {
    expect(last.code).toBe(0);
    const names = identifications().map((id) => `${fields(id)?.firstName} ${fields(id)?.lastName}`);
    expect(names.join()).toMatch(/Łukasz|Wiśniewski/);
  },
  '16C-windows-1250-unset': ({ last }) => {
    expect(last.code).toBe(1);
    expect(`${last.stdout}${last.stderr}`).toMatch(/These fit: .*windows-1250/);
  },
  '19B-concatenated-headers-no-status': ({ last, identifications }) => {
    expect(identifications()).not.toContain('id');
    expect(last.told()).toMatch(/1 row is a repeated header/);
  },
  '22A-newest-browser-copy': ({ last }) =>
    expect(last.told()).toMatch(
      /newest file by name, but employees \(1\)\.csv was written after it .*source.newest: time/,
    ),
  '52B-two-header-rows-no-mail': ({ last, identifications }) => {
    expect(identifications()).toHaveLength(30);
    expect(last.code).toBe(0);
    expect(last.told()).toMatch(/1 row is a repeated header or column labels/);
  },
  '53A-two-entities-newest': ({ commands }) => {
    for (const { told } of commands) expect(told()).toMatch(/employees-AR-.*\.csv .* is not.*set source\.all: true/);
  },
  '27A-html-table-as-csv': ({ last }) => {
    expect(last.code).toBe(1);
    expect(`${last.stdout}${last.stderr}`).toMatch(/is HTML or XML, not CSV/);
  },
  '28A-one-bad-byte-unmapped': (played) => {
    leaverGone(played);
    expect(played.last.told()).toMatch(/1 byte is not valid utf-8/);
  },
  'R3-entra-bulk': ({ last }) =>
    expect(`${last.stdout}${last.stderr}`).toMatch(/Line 2 looks like the header: set source.skipLines: 1/),
};

/** What each HR server of a case answers, by the day. */
interface Scene {
  readonly answer: (request: HrRequest) => Partial<VendorReply>;
  readonly right: Check;
}

/** A request, on one of the days of its case. */
interface HrRequest extends VendorRequest {
  readonly scene: string;
  readonly day: string;
  readonly number: number;
}

const exported =
  (headersFor: (request: HrRequest) => Record<string, string>) =>
  (request: HrRequest): Partial<VendorReply> => ({ headers: headersFor(request), body: dayFile(request) });

let lastMade = 0;

function laterSecond(): Date {
  lastMade = Math.max(lastMade + 1000, Date.now());
  return new Date(lastMade);
}

const scenes: Readonly<Record<string, Scene>> = {
  '17A-presigned-head-403': {
    answer: (request) =>
      request.method === 'HEAD' ? { status: 403 } : { headers: { etag: request.day }, body: dayFile(request) },
    right: leaverGone,
  },
  '17B-csv-as-text-html': {
    answer: exported(({ day }) => ({ etag: day, 'content-type': 'text/html; charset=UTF-8' })),
    right: leaverGone,
  },
  '17C-dynamic-last-modified': {
    // Each request makes the file again, at least a second after the one before.
    answer: exported(() => ({ 'last-modified': laterSecond().toUTCString() })),
    right: ({ last, isEnabled }) => {
      expect(isEnabled('E130')).toBe(false);
      expect(isEnabled('E129')).toBe(true);
      expect(last.code).toBe(0);
    },
  },
  '18A-404-after-last-page': {
    answer: (request) => pageOf(request, 'page', { status: 404, body: '{"detail":"Invalid page."}' }),
    right: ({ last }) => expect(last.stdout + last.stderr).toMatch(/set source.end.statuses: \[404\]/),
  },
  '18G-204-after-last-page': {
    answer: (request) => pageOf(request, 'page', { status: 204 }),
    right: ({ last }) => expect(last.stdout + last.stderr).toMatch(/set source.end.statuses: \[204\]/),
  },
  '18H-token-expires-in-text': {
    answer: (request) => {
      const life = request.day === 'day1' ? { expires_in: '3600' } : {};
      const token = { access_token: 'tok', token_type: 'bearer', ...life };
      return { body: JSON.stringify(request.url.pathname === '/token' ? token : { data: peopleOf(request.day) }) };
    },
    right: leaverGone,
  },
  '29A-graphql-partial-with-errors': {
    answer: ({ day }) => {
      const people = peopleOf('day1');
      const failed = { data: { people: people.slice(0, 28) }, errors: [{ message: 'a resolver failed' }] };
      return { body: JSON.stringify(day === 'day1' ? { data: { people } } : failed) };
    },
    right: ({ last, isEnabled }) => {
      expect([isEnabled('E129'), isEnabled('E130')]).toEqual([true, true]);
      expect(last.told()).toMatch(/the answer has the new field `errors`/);
    },
  },
  '29D-postgrest-206': {
    answer: (request) => {
      const from = Number(request.url.searchParams.get('offset'));
      const rows = peopleOf(request.day).slice(from, from + Number(request.url.searchParams.get('limit')));
      return { status: from + rows.length < 30 ? 206 : 200, body: JSON.stringify(rows) };
    },
    right: leaverGone,
  },
  '60H-error-one-answer': {
    answer: ({ day }) => {
      const people = peopleOf('day1');
      if (day === 'day1') return json({ success: true, error: null, data: people });
      return json({ success: false, error: { message: 'partial data' }, data: people.slice(0, 28) });
    },
    right: (played) => nobodyMissing(/`success` has another value than before/)(played),
  },
  '60K-count-contradicts': {
    answer: ({ day, url }) => {
      const [offset = 0, limit = 0] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name)));
      return json({
        count: 30,
        data: peopleOf('day1')
          .slice(0, day === 'day1' ? 30 : 28)
          .slice(offset, offset + limit),
      });
    },
    right: (played) => nobodyMissing(/has 28, but `count` says 30.*set source\.total/)(played),
  },
  '60L-page-error-object': {
    answer: (request) => {
      const page = Number(request.url.searchParams.get('page'));
      if (request.day === 'day2' && page >= 3) return json({ data: [], error: { code: 'UPSTREAM_TIMEOUT' } });
      return json({ success: true, data: peopleOf('day1').slice((page - 1) * 14, page * 14) });
    },
    right: (played) => nobodyMissing(/new field `error`/)(played),
  },
  '61A-next-relative-query': {
    answer: ({ day, url }) => {
      const page = Number(url.searchParams.get('page') ?? 1);
      const data = peopleOf(day).slice((page - 1) * 10, page * 10);
      return json({ data, next: page < 3 ? `?page=${page + 1}` : null });
    },
    right: ({ isEnabled }) => expect([isEnabled('E120'), isEnabled('E121')]).toEqual([false, true]),
  },
  '61K-page-zero-based-no-total': {
    answer: ({ url }) => {
      const page = Number(url.searchParams.get('page'));
      return json({ total: 30, data: peopleOf('day1').slice(page * 10, page * 10 + 10) });
    },
    right: (played) => nobodyMissing(/has 20, but `total` says 30.*set source\.paging\.start: 0/)(played),
  },
  '61M-ndjson': {
    answer: () => ({
      headers: { 'content-type': 'application/x-ndjson' },
      body: peopleOf('day1')
        .map((person) => `${JSON.stringify(person)}\n`)
        .join(''),
    }),
    right: ({ last, identifications }) => expect([last.code, identifications().length]).toEqual([0, 30]),
  },
  '61N-duplicate-keys': {
    answer: ({ day }) => {
      const body = JSON.stringify({ data: peopleOf('day1') });
      const twice = (id: string, text: string, both: string) =>
        text.replace(new RegExp(`("id":"${id}".*?)"status":"active"`), `$1${both}`);
      if (day === 'day1') return { body };
      const one = twice('E105', body, '"status":"terminated","status":"active"');
      return { body: twice('E106', one, '"status":"active","status":"terminated"') };
    },
    right: ({ last, isEnabled }) => {
      expect([isEnabled('E105'), isEnabled('E106')]).toEqual([true, true]);
      expect(last.told()).toMatch(/E105.*status: occurs twice|status: occurs twice in one object/);
    },
  },
  '62C-attribute-case': {
    answer: ({ day, url }) => {
      if (!url.pathname.endsWith('/Users')) return { status: 404, body: '{}' };
      const start = Number(url.searchParams.get('startIndex') ?? 1);
      const users = peopleOf(day).map(({ id, email, first, last, status }) => ({
        ...{ id, externalId: id, userName: email, [day === 'day1' ? 'active' : 'Active']: status === 'active' },
        ...{ [day === 'day1' ? 'name' : 'NAME']: { givenName: first, familyName: last }, emails: [{ value: email }] },
      }));
      const [total, list] = day === 'day1' ? ['totalResults', 'Resources'] : ['totalresults', 'resources'];
      return { body: JSON.stringify({ [total]: 30, [list]: users.slice(start - 1, start + 99) }) };
    },
    right: ({ last, isEnabled }) => {
      expect([isEnabled('E120'), isEnabled('E121')]).toEqual([false, true]);
      expect(last.code).toBe(0);
    },
  },
};

/** Nobody is missing by these reads, and each of them says why. */
const nobodyMissing =
  (...words: readonly RegExp[]): Check =>
  ({ commands, isEnabled }) => {
    expect([isEnabled('E129'), isEnabled('E130')]).toEqual([true, true]);
    for (const { told } of commands.slice(1)) for (const word of words) expect(told()).toMatch(word);
  };

const json = (value: unknown): Partial<VendorReply> => ({ body: JSON.stringify(value) });

/** Two reads of an answer that failed, after a good one: 28 of 30 people, all of them, or nobody. */
const failed: Readonly<Record<string, readonly [good: object, bad: object, word: RegExp, people?: number]>> = {
  'a flag of another name': [{ ok: true }, { ok: false }, /`ok` has another value than before/, 0],
  'a fault': [{}, { fault: { faultstring: 'x' } }, /new field `fault`, and may be an error/],
  'warnings with a code': [{}, { warnings: [{ code: 503 }] }, /new field `warnings`/],
  'an error that was null, within': [
    { meta: { error: null } },
    { meta: { error: 'Upstream timed out' } },
    /meta\.error/,
  ],
  'a status of the answer': [{ status: 'ok' }, { status: 'error' }, /`status` has another value than before/, 30],
  'a total of another name': [{ headcount: 30 }, { headcount: 30 }, /has 28, but `headcount` says 30/],
};

describe('an answer that failed makes nobody missing, whatever it calls the failure', () => {
  it.each(Object.entries(failed))('%s', async (_, [good, bad, word, count = 28]) => {
    let day = 'day1';
    const server = await startVendor({
      answer: () => {
        const people = peopleOf('day1').slice(0, day === 'day1' ? 30 : count);
        return { status: 200, body: '', ...json({ ...(day === 'day1' ? good : bad), data: people }) };
      },
      isData: () => false,
    });
    const set = (next: string) => {
      day = next;
    };
    const hr = { url: server.url, set, close: async () => {} };
    nobodyMissing(word)(await playCase('60H-error-one-answer', hr));
  });
});

function pageOf({ day, url }: HrRequest, name: string, end: Partial<VendorReply>): Partial<VendorReply> {
  const from = (Number(url.searchParams.get(name)) - 1) * 10;
  const data = peopleOf(day).slice(from, from + 10);
  return data.length === 0 ? end : { body: JSON.stringify({ data }) };
}

const plainDay = readFileSync(join(casesFolder, 'day1.csv'), 'utf8');

function dayFile({ scene, day }: HrRequest): string {
  return day === 'day1' ? plainDay : readFileSync(join(casesFolder, scene, `${day}.csv`), 'utf8');
}

/** The people of day 1; on another day one of them has left. */
function peopleOf(day: string): readonly Readonly<Record<string, string>>[] {
  const [header = '', ...rows] = plainDay.trim().split('\n');
  const names = header.split(',');
  return rows.map((row) => {
    const person = Object.fromEntries(row.split(',').map((cell, index) => [names[index] ?? '', cell]));
    return day !== 'day1' && person.id === 'E120' ? { ...person, status: 'terminated' } : person;
  });
}

describe('what an HR server says is proven, not believed', () => {
  it.each(Object.entries(scenes))('%s', async (scene, { answer, right: check }) => {
    let day = 'day1';
    const server = await startVendor({
      answer: (request, number) => ({ status: 200, body: '', ...answer({ ...request, scene, day, number }) }),
      isData: () => false,
    });
    const set = (next: string) => {
      day = next;
    };
    check(await playCase(scene, { url: server.url, set, close: async () => {} }));
  });
});

describe('files are read with sense', () => {
  it.each(Object.entries(rightOfFiles))('%s', async (name, check) => check(await playCase(name)));
});

const all =
  (...checks: readonly Check[]): Check =>
  (played) => {
    for (const check of checks) check(played);
  };

const left =
  (...people: readonly string[]): Check =>
  ({ isEnabled }) => {
    for (const id of people) expect([id, isEnabled(id)]).toEqual([id, false]);
  };

const stay =
  (...people: readonly string[]): Check =>
  ({ isEnabled }) => {
    for (const id of people) expect([id, isEnabled(id)]).toEqual([id, true]);
  };

/** Identifications of which this is the first come with other people than their accounts. */
const held =
  (first: string): Check =>
  ({ last }) => {
    expect(last.code).toBe(3);
    expect(last.told()).toMatch(new RegExp(`belongs? to different people in HR and on the platform \\(${first}[,)]`));
  };

const unasked: Check = ({ last }) => expect([last.code, last.told()]).toEqual([0, '']);

/** The fields of these people are as on day 1. */
const keep =
  (fields: object, ...people: readonly string[]): Check =>
  (played) => {
    for (const id of people) expect([id, played.fields(id)]).toMatchObject([id, fields]);
  };

const noAccounts =
  (...people: readonly string[]): Check =>
  ({ identifications }) =>
    expect(identifications().filter((id) => people.includes(id))).toEqual([]);

const told =
  (...words: readonly (string | RegExp)[]): Check =>
  ({ last }) => {
    for (const word of words) expect(last.told()).toMatch(word);
  };

/** People who keep or lack access because of their rows never end with exit code 0, and the reason says why. */
const partial =
  (reason: RegExp): Check =>
  ({ last }) => {
    expect([last.report().outcome, last.code]).toEqual(['partial', 4]);
    expect(last.report().reasons.join('\n')).toMatch(reason);
  };

const people = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `E${from + i}`);
const everybody = people(101, 130);
const numbers = Array.from({ length: 30 }, (_, i) => `${1001 + i}`);
const unreadable = /email .* in \d rows? .*email keeps its value/;

/** What must be true after the last command of each case about what cells, rows and identities mean. */
const rightOfPeople: Readonly<Record<string, Check>> = {
  '01A-email-zwsp': all(
    keep({ email: 'p105@corp.test' }, 'E105'),
    keep({ email: 'p106@corp.test' }, 'E106'),
    keep({ email: 'p107@corp.test' }, 'E107'),
    noAccounts('E131'),
    told(unreadable, /invisible/, /line 32: no account is created/),
  ),
  '02B-format-yyyy-short': all(stay('E108', 'E109'), told(/left is in an implausible year .* 2 rows/)),
  '03A-leave-epoch-zero-text': stay('E105', 'E106'),
  '04A-null-text': all(
    stay(...everybody),
    keep({ area: 'Ops', job: 'Analyst' }, 'E105', 'E106', 'E107'),
    keep({ phoneNumber: '+598 99 000 105' }, 'E105'),
    told(/area is a placeholder for a missing value .* 3 rows/),
  ),
  '05A-id-float': all(noAccounts(...numbers.map((id) => `${id}.0`)), stay(...numbers), ({ commands }) =>
    expect(commands[2]?.told()).toMatch(/1001\.0 .* differ only in case, punctuation or/),
  ),
  '06B-apostrophe-id': all(
    noAccounts(...numbers.map((id) => `'0${id}`)),
    ({ commands }) => expect(commands[2]?.told()).toMatch(/'01001 .* user 01001.* differ only in case, punctuation or/),
    ({ identifications }) => expect(identifications()).toHaveLength(30),
  ),
  '06A-apostrophe-guard': all(
    keep({ phoneNumber: '+598 99 000 105' }, 'E105'),
    told(/phone has the mark of an exporter/),
  ),
  '10A-leaver-row-twice': left('E120'),
  '10D-equal-rows-with-prefer': left('E120'),
  '11A-date-order-swapped': all(
    stay('E104', 'E112'),
    keep({ birthDate: '1990-06-16', orgEntryDate: '2020-02-08' }, 'E105'),
    ({ commands }) => {
      expect(commands[1]?.code).toBe(3);
      expect(commands[1]?.told()).toMatch(/the last days of work look wrong: left is not a date .* in 5 rows/);
    },
  ),
  '12B-marriage-id-is-email': all(
    stay('p105@corp.test'),
    noAccounts('f.perez-soto@corp.test'),
    told(/p105@corp\.test.* look like one person.*adopt people f\.perez-soto@corp\.test/),
    partial(/1 has no account yet/),
  ),
  '12C-rehire-new-id': all(
    noAccounts('E988'),
    partial(/1 has no account yet/),
    told(/E988 .* leaver who looks like the same person.*adopt people E988/),
  ),
  '12I-rehire-with-parkEmail': all(
    noAccounts('E988'),
    keep({ email: 'p120@corp.test' }, 'E120'),
    told(/E988 .* leaver who looks like the same person.*adopt people E988/),
  ),
  '14A-turkish-lowercase': all(noAccounts('E131', 'E132'), told(unreadable, /Turkish/)),
  '16B-windows-1250-as-1252': all(
    keep({ firstName: 'Grażyna', lastName: 'Wiśniewski' }, 'E102'),
    ({ last }) => expect(last.code).toBe(3),
    told(/first has a symbol next to a letter .* 30 rows/),
  ),
  '21A-leaver-with-end-of-time': left('E120'),
  '23A-email-domain-junk': all(
    ...people(105, 109).map((id) => keep({ email: `p${id.slice(1)}@corp.test` }, id)),
    told(unreadable),
  ),
  '24A-future-leaver-status-typo': all(
    stay('E105'),
    partial(/1 still has access .*left is in an implausible year/),
    told(/left is in an implausible year .* 1 row \(line 6\)/),
  ),
  '26A-why-after-doubted-read': left('E120'),
  '40A-id-recycled': all(keep({ firstName: 'Facundo', email: 'p105@corp.test' }, 'E105'), held('E105')),
  '40G-column-sorted-no-mail': all(
    keep({ firstName: 'Bruno' }, 'E101'),
    keep({ firstName: 'Inés' }, 'E108'),
    held('E101'),
  ),
  '40H-marriage': all(keep({ lastName: 'Duarte-Ocampo' }, 'E105'), unasked),
  '40I-correction-birth': all(
    keep({ birthDate: '1984-05-15' }, 'E105'),
    keep({ firstName: 'Gina María' }, 'E106'),
    unasked,
  ),
  '40K-recycled-mail-same-person-gone': all(left('E120'), keep({ firstName: 'Ana' }, 'E120'), held('E120')),
  '40L-rehire-same-id': all(stay('E120'), keep({ lastName: 'Sosa-Pérez' }, 'E120'), unasked),
  '42E-html-tags': all(
    keep({ area: 'Ops' }, 'E105'),
    keep({ job: 'Analyst' }, 'E106'),
    told(/area is markup/, /job is markup/),
  ),
  '42G-lookup-lists': all(keep({ area: 'Ops' }, 'E105', 'E106', 'E107'), told(/area is .* an object as text.* 3 rows/)),
  '43A-persian-zwnj': keep({ lastName: 'حسین\u200cزاده' }, 'E131'),
  '43B-dutch-apostrophe': all(
    keep({ lastName: "'t Hart" }, 'E131'),
    keep({ lastName: "'s-Gravesande" }, 'E132'),
    ({ last }) => expect(last.told()).toBe(''),
  ),
  '43H-names-like-null': all(keep({ firstName: 'Nan', lastName: 'Null' }, 'E131'), stay('E132')),
  '43K-masked-column': all(keep({ job: 'Analyst' }, ...people(101, 108)), told(/job is masked .* 8 rows/)),
  '43L-masked-mail': all(
    keep({ email: 'p105@corp.test' }, 'E105'),
    keep({ email: 'p106@corp.test' }, 'E106'),
    told(/email is masked .* 2 rows/),
  ),
  '43N-dash-means-none': all(
    keep({ area: 'Ops', job: 'Analyst' }, ...people(105, 109)),
    keep({ phoneNumber: '+598 99 000 109' }, 'E109'),
  ),
  '50B-effective-future-termination': stay('E105'),
  '44A-shared-mailbox-new': all(noAccounts('E131', 'E132', 'E133'), stay('E134'), ({ last }) =>
    expect(new Set(last.told().split('\n'))).toEqual(
      new Set(['E131 (line 32), E132 (line 33) and E133 (line 34) have the same e-mail']),
    ),
  ),
  '50C-effective-past-termination-active-first': told(/line 21 counts by prefer, but line 32 .* says that E120 left/),
  '50H-prefer-now-expression': all(keep({ area: 'Ops' }, 'E105'), left('E120')),
  '50K-old-row-newest-position': all(stay('E105'), keep({ area: 'Sales' }, 'E105')),
  '51A-rescinded-termination': stay('E105'),
  '41A-rut-dots': all(
    noAccounts('12.345.688-0'),
    stay('12345688-0'),
    told(/3 people: .*differ only in case, punctuation/, /To read it as before \(without \.\), set mapping/),
  ),
  '41D-inner-space': all(
    noAccounts('E\u00a0111'),
    stay('E111', 'E112', 'E113'),
    told(/3 people: .*differ only in case, punctuation/),
  ),
  '41F-digits-rounded': all(
    noAccounts('3332883884017710000'),
    stay('3332883884017713920', '3332883884017713921'),
    told(/3 people: .*look like one person \(same name/),
  ),
  '53F-xs-date-offset': left('E120'),
  '54G-padded-ids': leaverGone,
  '55A-manager-as-float': ({ last }) => expect(last.report().counts).toMatchObject({ lead: 29 }),
  '64C-twins': all(stay('E131', 'E132'), unasked),
};

describe('people are read with sense', () => {
  it.each(Object.entries(rightOfPeople))('%s', async (name, check) => check(await playCase(name)));
});
