import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayExceed, openSegmentCounts, segmentsToHold } from '../../src/core/guard/segments.ts';

const fields = ['area', 'office'] as const;
const disables = (count: number, values: Readonly<Record<string, string>>, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ identification: `${values.office ?? ''}${from + i}`, fields: values }));

function managed(offices: Readonly<Record<string, number>>) {
  const { counts, add } = openSegmentCounts(fields);
  for (const [office, count] of Object.entries(offices)) for (let i = 0; i < count; i += 1) add({ office });
  return counts;
}

describe('the disables of one office', () => {
  it.each([
    { enabled: 16, recent: 0, open: 5, allowed: 4 },
    { enabled: 5, recent: 0, open: 4, allowed: 3 },
    { enabled: 4, recent: 1, open: 3, allowed: 3 },
    { enabled: 100, recent: 0, open: 31, allowed: 30 },
  ])('of $enabled people, $open after $recent: held above $allowed', ({ enabled, recent, open, allowed }) => {
    const facts = {
      fields,
      open: [...disables(open, { office: 'Berlin' }), ...disables(2, { office: 'Lima' })],
      recent: disables(recent, { office: 'Berlin' }, 100),
      managed: managed({ Berlin: enabled, Lima: 500 }),
    };
    const found = segmentsToHold(facts);
    expect(mayExceed(facts)).toBe(true);
    expect(found.map(({ names }) => names)).toEqual([
      disables(open, { office: 'Berlin' }).map((one) => one.identification),
    ]);
    expect(found[0]?.reason).toContain(`where office is Berlin`);
    expect(found[0]?.reason).toContain(
      `up to ${allowed} of ${enabled + recent} managed users there in 24 hours need no approval`,
    );
  });

  it('are held by no value that is blank or not known', () => {
    const open = [...disables(9, { office: '' }), ...disables(9, {})];
    expect(segmentsToHold({ fields, open, recent: [], managed: managed({ '': 20 }) })).toEqual([]);
  });

  it('never pass the limit, and a disable is held only for a segment above its limit', () => {
    const office = fc.constantFrom('A', 'B', 'C');
    const people = fc.array(fc.record({ office, area: fc.constantFrom('x', 'y') }), { maxLength: 25 });
    fc.assert(
      fc.property(
        people,
        people,
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 3, maxLength: 3 }),
        (a, b, sizes) => {
          const open = a.map((values, i) => ({ identification: `o${i}`, fields: values }));
          const recent = b.map((values, i) => ({ identification: `r${i}`, fields: values }));
          const counts = { A: sizes[0] ?? 0, B: sizes[1] ?? 0, C: sizes[2] ?? 0 };
          const held = new Set(
            segmentsToHold({ fields: ['office'], open, recent, managed: managed(counts) }).flatMap(
              ({ names }) => names,
            ),
          );
          for (const [name, enabled] of Object.entries(counts)) {
            const of = (some: typeof open) => some.filter((one) => one.fields.office === name);
            const all = enabled + of(recent).length;
            const total = of(open).length + of(recent).length;
            const isAbove = all >= 5 && total > 3 && total > Math.floor(all * 0.3);
            expect(of(open).map((one) => held.has(one.identification))).toEqual(of(open).map(() => isAbove));
          }
        },
      ),
    );
  });
});
