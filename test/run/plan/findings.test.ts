import { describe, expect, it } from 'vitest';
import { openFindings } from '../../../src/run/read/open-findings.ts';
import { findMoved } from '../../../src/run/seal/report-hand-overs.ts';
import { sampleEntry } from '../../contracts/store-samples.ts';
import { someInstant } from '../../support/fake-clock.ts';

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

describe('a user who moved between syncs', () => {
  const entry = (owner: string, from: string) => sampleEntry('ana', { owner, taken: { from, at: someInstant } });
  const since = (leftSince: number, cameSince: number) => ({ sync: 'people', leftSince, cameSince });

  it('is reported by the sync that took the user in an attempt that was interrupted', () => {
    expect(findMoved(entry('people', 'guests'), since(0, someInstant))).toEqual({
      code: 'handed-over',
      identification: 'ana',
      message: 'taken over from sync guests at 2026-11-21 12:00:00 UTC',
    });
    expect(findMoved(entry('people', 'guests'), since(0, someInstant + 1))).toBeUndefined();
  });

  it('is reported by the sync that lost the user since its last run', () => {
    expect(findMoved(entry('guests', 'people'), since(someInstant - 1, 0))).toEqual({
      code: 'handed-over',
      identification: 'ana',
      message: 'belongs to sync guests since 2026-11-21 12:00:00 UTC',
    });
    expect(findMoved(entry('guests', 'people'), since(someInstant, 0))).toBeUndefined();
  });

  it('between two others is no matter, nor is one who never moved', () => {
    expect(findMoved(entry('guests', 'leavers'), since(0, 0))).toBeUndefined();
    expect(findMoved(sampleEntry('ana'), since(0, 0))).toBeUndefined();
  });
});
