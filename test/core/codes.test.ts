import { describe, expect, it } from 'vitest';
import { blockedKinds } from '../../src/core/guard/blocked.ts';
import { anchorOf, docsOfCode, findCode, guessCode, listedCodes } from '../../src/core/run/codes/code-list.ts';

describe('the list of codes', () => {
  it('has each code once, and each anchor', () => {
    const codes = listedCodes.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(new Set(codes.map(anchorOf)).size).toBe(codes.length);
  });

  it('has codes of all five kinds, each with a cause and a cure in sentences', () => {
    expect(new Set(listedCodes.map(({ kind }) => kind))).toEqual(new Set(['alert', 'finding', 'rule', 'error', 'api']));
    for (const { code, kind, rules, cause, cure } of listedCodes) {
      expect([code, cause]).toEqual([code, expect.stringMatching(/\.$/)]);
      expect([code, cure.length > 0 && cure.every((step) => /[.!)`:]$/.test(step))]).toEqual([code, true]);
      if (kind !== 'alert') expect([code, rules]).toEqual([code, []]);
    }
  });

  it('finds a code by its name, in any case and with - or _', () => {
    for (const word of ['TOKEN_REVOKED', 'token-revoked', 'Token_Revoked', 'tokenrevoked'])
      expect([word, findCode(word)?.code]).toEqual([word, findCode('TOKEN_REVOKED')?.code]);
    expect(findCode('TOKEN_REVOKED')).toMatchObject({ code: 'TOKEN_REVOKED', kind: 'error' });
    expect(findCode('no such code')).toBeUndefined();
    expect(findCode('')).toBeUndefined();
  });

  it('explains each kind that a count of blocked people prints', () => {
    for (const kind of blockedKinds) expect([kind, findCode(kind)?.code]).toEqual([kind, kind]);
  });

  it('finds an alert by a rule of Prometheus', () => {
    const alerts = listedCodes.filter(({ rules }) => rules.length > 0);
    expect(alerts.length).toBeGreaterThan(5);
    for (const { code, rules } of alerts)
      for (const rule of rules)
        expect([code, rule, findCode(rule)?.rules]).toEqual([code, rule, expect.arrayContaining([rule])]);
  });

  it('guesses a misspelt code or rule', () => {
    expect(guessCode('TOKEN_REVOKD')).toBe('TOKEN_REVOKED');
    const [rule = ''] = listedCodes.flatMap(({ rules }) => rules);
    expect(guessCode(rule.slice(0, -1))).toBe(rule);
    expect(guessCode('something else entirely')).toBeUndefined();
  });

  it('links to the heading of the code', () => {
    expect(docsOfCode('TOKEN_REVOKED')).toBe('docs/codes.md#token_revoked');
  });
});
