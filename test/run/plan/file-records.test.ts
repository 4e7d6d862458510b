import { describe, expect, it } from 'vitest';
import type { BlockedPerson } from '../../../src/core/guard/blocked.ts';
import { type MappedBoth, withEarlier } from '../../../src/core/person/earlier.ts';
import type { Mapped, Person, RejectedPerson } from '../../../src/core/person/person.ts';
import type { Finding } from '../../../src/core/run/finding.ts';
import type { CellTrouble } from '../../../src/core/run/refusal.ts';
import { openRecordFiling } from '../../../src/run/read/file-records.ts';
import { mark } from '../../../src/run/read/marks.ts';
import type { PeopleIndex } from '../../../src/run/read/people-index.ts';
import { person } from '../../core/cases.ts';
import { openIndex } from '../open-index.ts';
import { plainSettings } from '../plain-settings.ts';

const badHireDate: CellTrouble = { field: 'hireDate', column: 'hired', kind: 'not-a-date', reason: 'is not a date' };
const rejected: RejectedPerson = { kind: 'rejected', at: 'line 4', identification: 'E1', column: 'type', reason: 'no' };
const guest = { isInScope: false } as const;
const left = { standing: 'leaver' } as const;

interface Filed {
  readonly index: PeopleIndex;
  readonly findings: readonly Finding[];
  readonly blocked: readonly BlockedPerson[];
  /** Counts of further rows. */
  readonly rows: readonly number[];
  /** How many identifications stand for different people. */
  readonly shared: number;
  /** The marks of the identification's slot. */
  marks(identification?: string): readonly string[];
}

/** Files the records, and judges them. */
const filed = (records: readonly (Person | RejectedPerson)[], match = plainSettings.match): Filed =>
  filedBoth(
    records.map((mapped) => ({ mapped })),
    match,
  );

function filedBoth(records: readonly MappedBoth[], match = plainSettings.match): Filed {
  const index = openIndex(['firstName', 'lastName', 'email', 'area']);
  const findings: Finding[] = [];
  const blocked: BlockedPerson[] = [];
  const rows: number[] = [];
  const filing = openRecordFiling({
    index,
    sync: { settings: { ...plainSettings, match } },
    find: (finding) => void findings.push(finding),
    blocked: { add: (one) => void blocked.push(one), addRows: (count) => void rows.push(count) },
  });
  for (const { mapped, elsewhere } of records) {
    if (mapped.kind !== 'unreadable') filing.file(mapped);
    if (elsewhere !== undefined) filing.fileEarlier(elsewhere);
  }
  filing.settle();
  return {
    index,
    findings,
    blocked,
    rows,
    shared: filing.shared(),
    marks(identification = 'E1') {
      const { slot } = index.find(identification);
      return Object.entries(mark).flatMap(([name, bit]) => (index.has(slot, bit) ? [name] : []));
    },
  };
}

describe('what the earlier configuration makes of a person', () => {
  const of = (over: Partial<Person> = {}) => person({ rank: '1', ...over });
  const by = (mapped: Person, earlier: Mapped) => withEarlier(mapped, earlier);
  const area = (value: string) => ({ fields: { area: value } });
  const unreadable = { kind: 'unreadable', at: 'line 9', reason: 'is blank' } as const;
  const told = (index: PeopleIndex) => {
    const found = index.person(index.find('E1').slot);
    const earlier = found.kind === 'rejected' ? found : found.earlier;
    return typeof earlier === 'object' && earlier.kind === 'person' ? earlier.fields.area : (earlier ?? 'the same');
  };

  it.each<[what: string, records: readonly MappedBoth[], earlier: unknown]>([
    ['the same', [by(of(), of({ at: 'elsewhere', standingReason: 'another' }))], 'the same'],
    ['another value', [by(of(area('IT')), of(area('Law')))], 'Law'],
    ['nobody', [by(of(), person({ identification: 'E2' }))], 'nobody'],
    ['nobody it can read', [by(of(), unreadable)], 'nobody'],
    ['a person whom no record names today', [by(person({ identification: 'E2' }), of(area('Law')))], 'Law'],
    [
      'a person whom another record names today',
      [by(person({ identification: 'E2' }), of(area('Law'))), by(of(), unreadable)],
      'Law',
    ],
    [
      'the record that counted',
      [by(of({ ...area('IT'), rank: '2' }), of(area('IT'))), by(of(area('Law')), of({ ...area('Law'), rank: '2' }))],
      'Law',
    ],
    [
      'a conflict',
      [by(of({ ...area('IT'), rank: '2' }), of(area('IT'))), by(of(area('Law')), of(area('Law')))],
      expect.objectContaining({ kind: 'rejected', reason: 'two records contradict each other' }),
    ],
    ['nothing where today nothing is', [{ mapped: rejected }], rejected],
  ])('is kept with the person: %s', (_, records, earlier) => {
    const { index } = filedBoth(records);
    expect(told(index)).toEqual(earlier);
  });

  it('is no other spelling of a person', () => {
    const { index } = filedBoth([by(of(), person({ identification: 'e1' }))]);
    expect([index.size, told(index)]).toEqual([1, 'nobody']);
  });
});

describe('the marks of a person', () => {
  it.each<{ name: string; record: Person | RejectedPerson; marks: readonly string[] }>([
    { name: 'an active person', record: person(), marks: ['inSource', 'active'] },
    { name: 'a leaver', record: person(left), marks: ['inSource', 'leaver'] },
    { name: 'a future hire', record: person({ standing: 'future' }), marks: ['inSource'] },
    { name: 'an unknown status', record: person({ standing: 'unknown' }), marks: ['inSource'] },
    { name: 'out of scope', record: person(guest), marks: ['inSource', 'active', 'outOfScope'] },
    { name: 'a rejected record', record: rejected, marks: ['inSource'] },
  ])('are those of the record: $name', ({ record, marks }) => {
    expect(filed([record]).marks()).toEqual(marks);
  });
});

describe('an unreadable date of the lifecycle', () => {
  const undated = person({ troubles: [badHireDate] });

  it('blocks an active person in scope, and is named', () => {
    const { blocked, marks } = filed([undated]);
    expect(blocked).toEqual([{ kind: 'row-rejected', at: 'line 2', column: 'hired', reason: 'is not a date' }]);
    expect(marks()).toContain('undated');
  });

  it.each<{ name: string; records: readonly Person[] }>([
    { name: 'out of scope', records: [{ ...undated, ...guest }] },
    { name: 'a leaver', records: [{ ...undated, ...left }] },
    { name: 'of another field', records: [person({ troubles: [{ ...badHireDate, field: 'area' }] })] },
    { name: 'in a record that does not count', records: [{ ...undated, rank: '0' }, person({ rank: '1' })] },
  ])('does not block where it is $name', ({ records }) => {
    const { blocked, marks } = filed(records);
    expect(blocked).toEqual([]);
    expect(marks()).not.toContain('undated');
  });
});

describe('an e-mail', () => {
  const eva = person({ identification: 'E2', at: 'line 3' });
  const message = 'E1 (line 2) and E2 (line 3) have the same e-mail';

  it('of two active people is a finding for each of them, and neither is changed', () => {
    const { findings, marks } = filed([person(), eva]);
    expect(findings).toEqual([
      { code: 'email-conflict', identification: 'E1', at: 'line 2', message, others: ['E2 (line 3)'] },
      { code: 'email-conflict', identification: 'E2', at: 'line 3', message, other: 'E1', others: ['E1 (line 2)'] },
    ]);
    expect([marks('E1'), marks('E2')].every((names) => names.includes('conflict'))).toBe(true);
  });

  it('of three people is reported once for the first of them', () => {
    const { findings } = filed([person(), eva, person({ identification: 'E3' })]);
    expect(findings.map(({ identification, other }) => [identification, other])).toEqual([
      ['E1', undefined],
      ['E2', 'E1'],
      ['E3', 'E1'],
    ]);
  });

  it.each<{ name: string; records: readonly Person[]; match?: typeof plainSettings.match }>([
    { name: 'users are found by identification only', records: [person(), eva], match: ['identification'] },
    { name: 'the other person left', records: [person(), { ...eva, ...left }] },
    { name: 'the other person is out of scope', records: [person(), { ...eva, ...guest }] },
    { name: 'both have none', records: [person(), eva].map((one) => ({ ...one, fields: { email: '' } })) },
    { name: 'the first record was replaced', records: [person({ rank: '0' }), person({ rank: '1', ...left }), eva] },
    { name: 'a second record of the person has it too', records: [person({ rank: '0' }), person({ rank: '1' })] },
  ])('is no conflict where $name', ({ records, match }) => {
    expect(filed(records, match).findings).toEqual([]);
  });

  it('belongs to the person whose record counts', () => {
    const { index } = filed([person({ rank: '0' }), person({ rank: '1', ...left }), eva]);
    expect(index.findEmail('ana@example.com')).toBe(index.find('E2').slot);
  });
});

describe('two records of one identification', () => {
  const named = (firstName: string, lastName = 'Li', email = 'a@x.com') => ({ fields: { firstName, lastName, email } });

  it.each<[string, Person | RejectedPerson, Person | RejectedPerson, number]>([
    ['another first and last name', person(named('Ana')), person(named('Eva', 'Paz')), 1],
    ['another first name and e-mail', person(named('Ana')), person(named('Eva', 'Li', 'e@x.com')), 1],
    ['another first name alone', person(named('Ana')), person(named('Eva')), 0],
    ['the same in other letters', person(named('Ana')), person(named('ANA', 'LI', 'A@x.com')), 0],
    ['no first name', person(named('Ana')), person({ fields: { lastName: 'Paz' } }), 0],
    ['no first name at first', person({ fields: { lastName: 'Paz' } }), person(named('Ana')), 0],
    ['a leaver', person(named('Ana')), person({ ...named('Eva', 'Paz'), ...left }), 0],
    ['a leaver at first', person({ ...named('Eva', 'Paz'), ...left }), person(named('Ana')), 0],
    ['a refused row', person(named('Ana')), rejected, 0],
    ['a refused row at first', rejected, person(named('Ana')), 0],
  ])('stand for two people where both work and differ: %s', (_, one, other, shared) => {
    expect(filed([one, other]).shared).toBe(shared);
  });

  it('stand for two people also where the record of someone who left counts between them', () => {
    const ana = person({ ...named('Ana'), rank: '0' });
    const eva = person({ ...named('Eva', 'Paz'), rank: '2' });
    expect(filed([ana, person({ ...left, rank: '1' }), eva]).shared).toBe(1);
  });

  it.each([[true], [false]])('are one where the one is a guess (first: %s), which is named', (isFirst) => {
    const guess = { ...rejected, isGuessed: true } as const;
    const { index, findings, marks, rows } = filed(isFirst ? [guess, person()] : [person(), guess]);
    expect(index.person(0)).toEqual(person());
    expect([marks(), rows]).toEqual([['inSource', 'active'], []]);
    const message = 'line 4, type: no';
    expect(findings).toEqual([{ code: 'row-rejected', identification: 'E1', at: 'line 4', message }]);
  });
});

describe('the message about several records', () => {
  const reason = 'have the identification E1, and the sync has no prefer rule that decides';

  it.each([
    { count: 2, subject: 'line 1 and line 2 both' },
    { count: 3, subject: 'line 1, line 2 and line 3 all' },
    { count: 4, subject: 'line 1, line 2, line 3 and line 4 all' },
    { count: 5, subject: 'line 1, line 2, line 3, line 4 and 1 more record all' },
    { count: 6, subject: 'line 1, line 2, line 3, line 4 and 2 more records all' },
  ])('names four of $count records', ({ count, subject }) => {
    const { findings, rows } = filed(
      Array.from({ length: count }, (_, i) => person({ at: `line ${i + 1}`, fields: { area: `${i}` } })),
    );
    expect(rows).toEqual([count - 1]);
    const message = `${subject} ${reason}: the user is not changed`;
    expect(findings).toMatchObject([{ code: 'duplicate-key', identification: 'E1', at: 'line 1', message }]);
  });

  it('names both places of people who differ by case', () => {
    const other = person({ identification: 'e1', at: 'line 3', fields: {} });
    const { findings, marks, rows } = filed([person(), other]);
    expect(rows).toEqual([1]);
    expect(marks()).toContain('conflict');
    expect(findings).toEqual([
      {
        code: 'case-conflict',
        identification: 'e1',
        at: 'line 3',
        message: 'E1 (line 2) and e1 (line 3) differ only by case: neither is changed. Correct one of them in HR',
        others: ['E1 (line 2)'],
      },
    ]);
  });

  it.each([
    ['is the same one again', {}, false],
    ['is another one', { fields: { firstName: 'Eva', email: 'eva@example.com' } }, true],
    ['left', left, true],
    ['is out of scope', guest, false],
  ])('a second person of other case who %s may lack access: %s', (_, other, isUncertain) => {
    const { marks } = filed([person(), person({ identification: 'e1', at: 'line 3', ...other })]);
    expect(marks().includes('tied')).toBe(isUncertain);
  });

  it('says another record for a person without a record', () => {
    const index = openIndex();
    index.name(index.add('E1'), 'E1');
    const findings: Finding[] = [];
    const filing = openRecordFiling({
      index,
      sync: { settings: plainSettings },
      find: (finding) => void findings.push(finding),
      blocked: undefined,
    });
    filing.file(person({ identification: 'e1', at: 'line 3' }));
    filing.settle();
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^.*\(another record\) and e1 \(line 3\) differ only by case: neither is changed/),
    ]);
  });
});
