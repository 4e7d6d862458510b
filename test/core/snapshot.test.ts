import { describe, expect, it } from 'vitest';
import type { SourceSays } from '../../src/core/plan.ts';
import { certifySnapshot, type ReadEnd, type Snapshot } from '../../src/core/snapshot.ts';

const complete: ReadEnd = { complete: true, rows: 3, evidence: 'the list ended', stamp: 's1' };
const certify = (kind: Snapshot['kind'], end: ReadEnd = complete, unreadable = 0): Snapshot =>
  certifySnapshot({ kind, end, unreadable, readAt: 1 });

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
    expect(certify('full', { ...complete, rows: 0 }).gaps).toEqual(['the source has no employees']);
  });

  it('of a read that is only much shorter than before: nothing, and that a person may accept it', () => {
    const shrunk = { complete: false, rows: 3, reasons: ['3 rows'] } as const;
    expect(certify('full', { ...shrunk, isShrunk: true })).toEqual({
      kind: 'full',
      rows: 3,
      leavers: undefined,
      missing: undefined,
      gaps: ['3 rows'],
      isShrunk: true,
    });
    expect(certify('full', shrunk)).not.toHaveProperty('isShrunk');
  });

  it('of a full read with records that name nobody: leavers, and that nobody is missing', () => {
    const { leavers, missing, gaps } = certify('full', complete, 2);
    expect(leavers).toBeDefined();
    expect(missing).toBeUndefined();
    expect(gaps).toEqual([expect.stringMatching(/^2 records name nobody, so nobody can be called missing$/)]);
  });

  it('of a delta with a record that names nobody: not who that was', () => {
    expect(certify('delta', complete, 1).gaps).toEqual(['1 record names nobody']);
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
    expect([full, delta, point, says]).toHaveLength(4);
  });
});
