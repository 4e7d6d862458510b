import { describe, expect, it } from 'vitest';
import { looksLikeSamePerson } from '../../src/core/plan/pair.ts';

describe('two people with one e-mail look like the same person', () => {
  it.each([
    ['the same name', { firstName: 'José', lastName: 'Pérez' }, { firstName: 'JOSE', lastName: 'Perez' }, true],
    ['the same birth date', { birthDate: '1990-01-02', firstName: 'Pepe' }, { birthDate: '1990-01-02' }, true],
    ['other names', { firstName: 'Ana', lastName: 'Díaz' }, { firstName: 'Ana', lastName: 'Gómez' }, false],
    ['other birth dates', { birthDate: '1990-01-02' }, { birthDate: '1990-01-03' }, false],
    ['one name only', { firstName: 'Ana' }, { firstName: 'Ana' }, false],
    ['blank names', { firstName: '', lastName: '' }, { firstName: '', lastName: '' }, false],
    ['blank birth dates', { birthDate: '' }, { birthDate: '' }, false],
    ['nothing known', {}, {}, false],
  ])('%s: %o and %o', (_name, a, b, expected) => {
    expect(looksLikeSamePerson(a, b)).toBe(expected);
    expect(looksLikeSamePerson(b, a)).toBe(expected);
  });
});
