import { describe, expect, it } from 'vitest';
import { countMiss } from '../../src/core/plan/ledger-steps.ts';
import type { SourceSays } from '../../src/core/plan/plan.ts';
import {
  absentInLookup,
  absentWithoutLookup,
  certifySnapshot,
  newerStamp,
  type ReadEnd,
  type Snapshot,
} from '../../src/core/plan/snapshot.ts';

const complete: ReadEnd = { complete: true, rows: 3, evidence: 'the list ended', stamp: 's1' };
const certify = (kind: Snapshot['kind'], end: ReadEnd = complete, unreadable = 0): Snapshot =>
  certifySnapshot({ kind, end, unreadable, readAt: 1, runAt: undefined });

describe('what a read proves', () => {
  it.each([
    ['full', true, true],
    ['delta', true, false],
    ['point', true, false],
  ] as const)('of a complete %s read: leavers %s, missing %s', (kind, leavers, missing) => {
    const snapshot = certify(kind);
    expect([snapshot.leavers !== undefined, snapshot.missing !== undefined]).toEqual([leavers, missing]);
    expect(snapshot.gaps).toEqual([]);
  });

  it.each(['full', 'delta', 'point'] as const)('of an incomplete %s read: nothing', (kind) => {
    const snapshot = certify(kind, { complete: false, rows: 3, reasons: ['page 2 did not come'] });
    expect(snapshot).toMatchObject({ leavers: undefined, missing: undefined, gaps: ['page 2 did not come'] });
  });

  it('of a delta that nobody is in: that nobody has changed, which is no gap', () => {
    expect(certify('delta', { ...complete, rows: 0 })).toMatchObject({ gaps: [], missing: undefined });
    const nothing = { leavers: undefined, missing: undefined, gaps: ['the source has no employees'] };
    expect(certify('full', { ...complete, rows: 0 })).toMatchObject(nothing);
  });

  it('of a read that is only much shorter than before: nothing, and that a person may accept it', () => {
    const shrunk = { complete: false, rows: 3, reasons: ['3 rows'] } as const;
    expect(certify('full', { ...shrunk, isAcceptable: true })).toEqual({
      kind: 'full',
      rows: 3,
      leavers: undefined,
      missing: undefined,
      gaps: ['3 rows'],
      isAcceptable: true,
    });
    expect(certify('full', shrunk)).not.toHaveProperty('isAcceptable');
  });

  it('of a full read with records without an identification: leavers, and that no person is missing', () => {
    const { leavers, missing, gaps } = certify('full', complete, 2);
    expect(leavers).toBeDefined();
    expect(missing).toBeUndefined();
    expect(gaps).toEqual([
      expect.stringMatching(/^2 records have no identification, so no person can be counted as missing$/),
    ]);
  });

  it('of a delta with a record without an identification: that it is unknown', () => {
    expect(certify('delta', complete, 1).gaps).toEqual(['1 record has no identification']);
  });
});

describe('the types', () => {
  it('have no way to call anybody missing by a delta', () => {
    const { missing } = certify('full');
    if (missing === undefined) throw new Error('a complete full read proves absence');
    const facts = { rows: 3, leavers: undefined, gaps: [] };
    const full: Snapshot = { ...facts, kind: 'full', missing };
    // @ts-expect-error only a full read can hold the proof
    const delta: Snapshot = { ...facts, kind: 'delta', missing };
    // @ts-expect-error and so for a look-up
    const point: Snapshot = { ...facts, kind: 'point', missing };
    const { leavers } = certify('delta');
    if (leavers === undefined) throw new Error('a complete delta proves leavers');
    // @ts-expect-error the proof of a delta is not the one that "missing" asks for
    const says: SourceSays = { says: 'missing', proof: leavers };
    // @ts-expect-error nor is that of a full read, before the lookup by id is considered
    const early: SourceSays = { says: 'missing', proof: missing };
    expect([full, delta, point, says, early]).toHaveLength(5);
  });

  it('take only a complete lookup of named people as the confirmation of an absence', () => {
    const { missing } = certify('full');
    if (missing === undefined) throw new Error('a complete full read proves absence');
    const incomplete = {
      kind: 'point',
      rows: 0,
      leavers: undefined,
      missing: undefined,
      gaps: ['it broke off'],
    } as const;
    const kinds = [certify('point'), certify('delta'), certify('full'), incomplete];
    expect(kinds.map((lookup) => absentInLookup(missing, lookup))).toEqual([missing, undefined, undefined, undefined]);
  });
});

describe('a miss', () => {
  const hourMs = 3_600_000;
  const firstAt = Date.UTC(2026, 10, 21, 12);
  interface Read {
    readonly stamp: string;
    readonly asOf?: number | 'read';
    readonly readAt?: number;
    readonly runAt?: number;
  }
  const proofOf = ({ stamp, asOf, readAt = firstAt, runAt }: Read) => {
    const end: ReadEnd = { complete: true, rows: 3, evidence: 'the list ended', stamp, ...(asOf ? { asOf } : {}) };
    const { missing } = certifySnapshot({ kind: 'full', end, unreadable: 0, readAt, runAt });
    if (missing === undefined) throw new Error('a complete full read proves absence');
    return absentWithoutLookup(missing);
  };
  const plain = { identification: 'E1', owner: 'people', hidden: {}, quirks: {}, unverified: 0 };
  const countOf = (...reads: readonly Read[]): number | undefined =>
    reads.reduce(
      (entry, read) => countMiss(entry, proofOf(read), firstAt),
      countMiss(plain, proofOf(reads[0] ?? { stamp: '' }), firstAt),
    ).misses?.count;

  const file = (stamp: string, asOf: number): Read => ({ stamp, asOf });
  const live = (stamp: string, readAt: number, runAt?: number): Read => ({
    ...{ stamp, asOf: 'read', readAt },
    ...(runAt === undefined ? {} : { runAt }),
  });

  it.each<[string, number, readonly Read[]]>([
    ['the same file read again', 1, [file('a', firstAt), file('a', firstAt)]],
    ['the same content exported again', 2, [file('a', firstAt), file('a', firstAt + 1)]],
    ['an old file put back', 1, [file('b', firstAt + 2), file('a', firstAt)]],
    ['an old file put back after newer ones', 2, [file('a', firstAt), file('b', firstAt + 2), file('a', firstAt)]],
    ['a live system that gives the same again', 2, [live('a', firstAt), live('a', firstAt + hourMs)]],
    [
      'a live system that one run reads twice, because it crashed in between',
      1,
      [live('a', firstAt + 5, firstAt), live('b', firstAt + hourMs, firstAt)],
    ],
    ['equal content without a time', 1, ['a', 'a'].map((stamp) => ({ stamp }))],
    ['other content without a time', 2, ['a', 'b'].map((stamp) => ({ stamp }))],
    ['A, B, A without a time', 2, ['a', 'b', 'a'].map((stamp) => ({ stamp }))],
    ['A, B, A, B, C without a time', 3, ['a', 'b', 'a', 'b', 'c'].map((stamp) => ({ stamp }))],
    ['a file whose time is one of an archive', 1, [file('a', 1), file('a', 2)]],
    [
      'a file whose time is years ahead, and true ones after it',
      3,
      [1e13, firstAt, firstAt + 1].map((at) => file('a', at)),
    ],
    ['a time after content without one', 2, [{ stamp: 'a' }, file('a', firstAt)]],
    ['content without a time after a time', 2, [file('a', firstAt), { stamp: 'a' }, { stamp: 'a' }]],
  ])('is counted so: %s, %i', (_, count, reads) => {
    expect(countOf(...reads)).toBe(count);
  });

  it('remembers the content of few snapshots, and no time among them', () => {
    expect(newerStamp(proofOf({ stamp: 'a' }), '2026-11-21T12:00:00.000Z')).toBe('a');
    expect(newerStamp(proofOf({ stamp: 'a' }), undefined)).toBe('a');
    const all = Array.from({ length: 20 }, (_, i) => `s${i}`);
    const last = all.reduce<string | undefined>(
      (stamp, next) => newerStamp(proofOf({ stamp: next }), stamp),
      undefined,
    );
    expect(last?.split('\n')).toEqual(all.slice(-8));
  });
});
