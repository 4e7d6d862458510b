import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/core/person/person.ts';
import { createPersonText } from '../../../src/run/read/person-text.ts';

const text = createPersonText();

const ana: Person = {
  kind: 'person',
  at: 'line 2',
  identification: 'ana',
  fields: { firstName: 'Ana', area: '' },
  standing: 'active',
  standingReason: 'status is active',
  isInScope: true,
  unreadable: [],
  troubles: [],
  notes: [],
};
const trouble = { kind: 'too-long', field: 'area', column: 'dept', reason: 'the cell is too long' } as const;

describe('a person whose text is read again', () => {
  it.each<[what: string, person: Parameters<typeof text.write>[0]]>([
    ['an employee with an empty and an absent field', ana],
    ['a leaver out of scope', { ...ana, standing: 'leaver', standingReason: 'status is left', isInScope: false }],
    ['an employee with a rank', { ...ana, rank: '2026-01-01' }],
    ['an employee with every field and a rank', { ...ana, fields: { ...ana.fields, lastName: 'Li' }, rank: '1' }],
    ['an employee with a first day', { ...ana, hires: '' }],
    ['an employee with a last day', { ...ana, leaves: '2026-01-31' }],
    ['a leaver by the last day without a first day', { ...ana, leaves: '2026-01-31', leavesByDate: true }],
    ['a leaver by the last day', { ...ana, hires: '', leaves: '2026-01-31', leavesByDate: true }],
    ['an employee who comes later', { ...ana, hiresLater: true }],
    ['an employee with leaders', { ...ana, leaders: { main: 'none' } }],
    ['an employee with an unreadable cell', { ...ana, unreadable: ['area'], troubles: [trouble] }],
    ['an employee with a line break in a cell', { ...ana, notes: [{ column: 'dept', note: 'collapsed' }] }],
    ['an employee who is not created', { ...ana, refusesCreate: 'no contract' }],
    ['an employee who is not enabled', { ...ana, refusesEnable: 'no contract' }],
    ['a rejected record', { kind: 'rejected', at: 'line 3', identification: 'eva', column: 'type', reason: 'empty' }],
    ['a person without a record', { kind: 'absent', identification: 'leo' }],
  ])('is the same: %s', (_, person) => {
    expect(text.read(text.write(person))).toStrictEqual(person);
  });
});

it('an employee without problems is written without the names of fields', () => {
  expect(text.write(ana)).toBe('["line 2","ana","active",0,true,[1,1,"Ana",1,""],{}]');
});
