import { describe, expect, it } from 'vitest';
import { type ColumnFacts, doubtColumns } from '../../src/core/guard/columns.ts';

const before = { rows: 100, cells: {} };
const formats = { leaveDate: 'dd/MM/yyyy', orgEntryDate: 'dd/MM/yyyy', birthDate: 'yyyy-MM-dd' };
const bad = (count: number, misread = 0) => ({ count, cause: 'left is not a date', misread });
const doubt = (unreadable: ColumnFacts['unreadable'], previous: ColumnFacts['previous'] = before) =>
  doubtColumns({ people: 100, unreadable, previous, formats });

describe('a column', () => {
  it('is in doubt where more than two cells and two in a hundred became unreadable', () => {
    expect(doubt({ leaveDate: bad(3) })).toMatchObject({
      leaveDate: expect.stringMatching(/left is not a date, in 3 rows/),
    });
    expect(doubt({ leaveDate: bad(2) })).toEqual({ fields: [] });
    expect(doubtColumns({ people: 1000, unreadable: { leaveDate: bad(20) }, previous: before, formats })).toEqual({
      fields: [],
    });
  });

  it('is not in doubt where the last accepted read was the same, or there is none', () => {
    expect(doubt({ leaveDate: bad(3) }, { rows: 100, cells: { leaveDate: 3 } })).toEqual({ fields: [] });
    expect(doubtColumns({ people: 100, unreadable: { leaveDate: bad(3) }, previous: undefined, formats })).toEqual({
      fields: [],
    });
  });

  it('of text shows only the trouble of each cell', () => {
    expect(doubt({ area: bad(9) })).toEqual({ fields: [] });
  });

  it('speaks for the dates that are written in the same order, and for its own updates', () => {
    expect(doubt({ orgEntryDate: bad(3) })).toMatchObject({
      leaveDate: expect.stringMatching(/3 rows/),
      fields: [{ field: 'orgEntryDate' }],
    });
    expect(doubt({ birthDate: bad(3) })).not.toHaveProperty('leaveDate');
  });

  it('that was read in another encoding speaks for all texts, at the first read too', () => {
    const unreadable = { lastName: bad(3, 3) };
    expect(doubtColumns({ people: 100, unreadable, previous: undefined, formats })).toEqual({
      fields: [],
      encoding: 'left is not a date',
    });
  });
});
