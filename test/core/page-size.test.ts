import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterBreakdown, afterFirstPage, afterScan, firstPageSize } from '../../src/core/run/page-size.ts';

describe('the page size of scans', () => {
  it('doubles after each quick scan, up to the limit', () => {
    const first = firstPageSize(100, 350);
    const second = afterScan(first, 100, 300);
    const third = afterScan(second, 200, 300);
    expect([first.size, second.size, third.size, afterScan(third, 350, 300).size]).toEqual([100, 200, 350, 350]);
  });

  it('stays where pages are slow, or not full, or may not grow', () => {
    expect(afterScan(firstPageSize(100, 800), 100, 2001).size).toBe(100);
    expect(afterScan(firstPageSize(100, 800), 50, 10).size).toBe(100);
    expect(afterScan(firstPageSize(100, 100), 100, 10).size).toBe(100);
    expect(firstPageSize(500, 100)).toMatchObject({ size: 500, most: 500 });
  });

  it('goes back to the size before where a grown one fails or brings fewer users, and stays there', () => {
    const grown = afterScan(firstPageSize(100, 800), 100, 10);
    for (const page of [undefined, { rows: 10, total: 5000 }]) {
      const back = afterFirstPage(grown, page);
      expect(back.size).toBe(100);
      expect(afterScan(back, 100, 10).size).toBe(100);
    }
    expect(afterFirstPage(grown, { rows: 150, total: 5000 })).toBe(grown);
    expect(afterFirstPage(grown, { rows: 30, total: 30 })).toBe(grown);
    const first = firstPageSize(100, 800);
    expect(afterFirstPage(first, undefined)).toBe(first);
  });

  it('is never above the limit and never below 10, or the size that was configured', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('scan' as const), rows: fc.nat(3000), slowestMs: fc.nat(4000) }),
      fc.record({ kind: fc.constant('page' as const), rows: fc.nat(3000), total: fc.nat(3000) }),
      fc.record({ kind: fc.constantFrom('failed' as const, 'breakdown' as const) }),
    );
    const size = fc.integer({ min: 1, max: 2000 });
    fc.assert(
      fc.property(size, size, fc.array(event, { maxLength: 30 }), (configured, most, events) => {
        let known = firstPageSize(configured, most);
        for (const one of events) {
          if (one.kind === 'scan') known = afterScan(known, one.rows, one.slowestMs);
          else if (one.kind === 'breakdown') known = afterBreakdown(known);
          else known = afterFirstPage(known, one.kind === 'page' ? one : undefined);
          expect(known.size).toBeLessThanOrEqual(Math.max(configured, most));
          expect(known.size).toBeGreaterThanOrEqual(Math.min(configured, 10));
        }
      }),
    );
  });
});
