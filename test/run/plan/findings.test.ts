import { describe, expect, it } from 'vitest';
import { openFindings } from '../../../src/run/read/open-findings.ts';

const unwatched = { note: () => {}, watch: () => {} };

describe('the findings of a plan', () => {
  it('about the whole read come first, and are never displaced by 10,000 about people', () => {
    const findings = openFindings(unwatched);
    for (let i = 0; i < 10_002; i += 1) {
      findings.find({ code: 'case-conflict', identification: `u${i}`, message: 'like another' });
    }
    findings.find({ code: 'held', message: 'too many' });
    const all = findings.all();
    expect([all.length, all[0]?.code, all[10_000]?.identification]).toEqual([10_001, 'held', 'u9999']);
    expect(findings.identities).toEqual({ found: 10_002, notKept: 2 });
  });

  it('about a row without an identification are about people', () => {
    const findings = openFindings(unwatched);
    findings.find({ code: 'row-rejected', at: 'line 7', message: 'no identification' });
    findings.find({ code: 'held', message: 'too many' });
    expect(findings.all().map(({ code }) => code)).toEqual(['held', 'row-rejected']);
    expect(findings.identities).toEqual({ found: 0, notKept: 0 });
  });
});

describe('a cause that people share', () => {
  const shared = (...people: readonly { name: string; place?: string; other?: string; why?: string }[]) => {
    const findings = openFindings(unwatched);
    for (const { name, place = `line ${name}`, other, why = 'is too long' } of people) {
      const more = other === undefined ? {} : { other };
      const message = `${place}, dept: ${why}`;
      findings.find({ code: 'cell-unreadable', identification: name, at: place, message, ...more });
    }
    return findings.all().filter(({ people: count }) => count !== undefined);
  };
  const names = (...list: readonly string[]) => list.map((name) => ({ name }));

  it('is a finding of three people on, with three examples, the most frequent cause first', () => {
    const odd = names('E7', 'E8', 'E9').map((one) => ({ ...one, why: 'is odd' }));
    expect(shared(...names('E1', 'E2'))).toEqual([]);
    const [most, least] = shared(...odd, ...names('E1', 'E2', 'E3', 'E4'));
    expect(most).toEqual({
      ...{ code: 'cell-unreadable', people: 4 },
      message: '4 people: dept: is too long (E1, line E1; E2, line E2; E3, line E3, …)',
    });
    expect(least?.message).toBe('3 people: dept: is odd (E7, line E7; E8, line E8; E9, line E9)');
  });

  it('counts a pair once, with the other of the two', () => {
    const pair = { place: 'line 1 and line 2', other: 'E2' };
    const two = (name: string) => [
      { ...pair, name },
      { ...pair, name: 'E2' },
    ];
    expect(shared(...two('E1'), { name: 'E3' }, ...two('E4'))).toMatchObject([
      { people: 3, message: expect.stringContaining('(E1, E2; E3, line E3; E4, E2)') },
    ]);
  });

  it('may be one of rows that name no person, and line 3 is no part of line 33', () => {
    const findings = openFindings(unwatched);
    for (const n of [2, 3, 4]) {
      findings.find({ code: 'row-unreadable', at: `line ${n}`, message: `line ${n} has no identification` });
      const message = `line ${n} and line ${n}${n} both have the identification E${n}`;
      findings.find({ code: 'duplicate-key', identification: `E${n}`, at: `line ${n}`, message });
    }
    expect(findings.all().slice(0, 2)).toMatchObject([
      { people: 3, message: '3 rows: has no identification (line 2; line 3; line 4)' },
      { people: 3, message: expect.stringMatching(/^3 people: … and … both have the identification … \(E2, line 2;/) },
    ]);
  });

  it('may be one of columns: the first sentence names the others', () => {
    const findings = openFindings(unwatched);
    for (const [field, column] of Object.entries({ email: 'mail', firstName: 'first', area: 'dept' })) {
      findings.find({ code: 'field-vanished', message: `${field} reads \`${column}\`, but no record has it` });
      findings.find({ code: 'cell-unreadable', message: `${column} is masked: ${field} keeps its value` });
      findings.find({ code: 'source-note', message: `${column} is in ${field.length} formats` });
    }
    expect(findings.all().map(({ message }) => message)).toEqual([
      'email reads `mail`, but no record has it (the same for firstName, area)',
      'mail is masked: email keeps its value (the same for first, dept)',
      ...['mail is in 5 formats', 'first is in 9 formats', 'dept is in 4 formats'],
    ]);
  });

  it('is remembered 1000 times', () => {
    const findings = openFindings(unwatched);
    for (let i = 0; i < 1001 * 3; i += 1) {
      findings.find({ code: 'held', identification: `E${i}`, message: `cause ${Math.floor(i / 3)} of E${i}` });
    }
    const causes = findings.all().filter(({ people: count }) => count !== undefined);
    expect([causes.length, causes.at(-1)?.message]).toEqual([1000, expect.stringMatching(/^3 people: cause 999 of …/)]);
  });
});
