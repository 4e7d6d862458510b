import { describe, expect, it } from 'vitest';
import { openPaddingFindings } from '../../src/core/guard/damage.ts';

function messages(ids: readonly string[]): readonly string[] {
  const findings = openPaddingFindings('employee_id');
  for (const [at, identification] of ids.entries()) findings.see({ identification, at: `line ${at + 2}` });
  return findings.all().map(({ message }) => message);
}

describe('among numbers that are filled up with zeros', () => {
  it('shorter ones are named, without their values', () => {
    expect(messages(['00001', '00002', '31', '00003', '10000', '7', '410', '5555'])).toEqual([
      'employee_id has fewer than 5 digits in 4 rows (line 4, line 7, line 8, …), but other values have leading zeros. If zeros were lost, export the column as text',
    ]);
  });

  it.each([
    ['all have one width', ['00001', '00002', '00003', '12345', '123456']],
    ['no number has zeros', ['1', '22', '333']],
    ['few have zeros', ['007', '008', '1']],
    ['zeros have several widths', ['001', '002', '0003', '1']],
    ['the others are no numbers', ['001', '002', '003', 'A1', 'x', '']],
    ['the others begin with a digit and are no numbers', ['001', '002', '003', '1A', '9x', '/1', ':1']],
    ['only two numbers have zeros', ['007', '008', '1', '22']],
  ])('nothing is said where %s', (_, ids) => {
    expect(messages(ids)).toEqual([]);
  });

  it('numbers of every first digit are looked at, and three places are named of as many', () => {
    expect(messages(['00001', '00002', '00003', '9', '1', '55'])).toEqual([
      expect.stringContaining('3 rows (line 5, line 6, line 7), but'),
    ]);
  });

  it('of four places three are named', () => {
    expect(messages(['00001', '00002', '00003', '9', '1', '5', '7'])).toEqual([
      expect.stringContaining('4 rows (line 5, line 6, line 7, …), but'),
    ]);
  });

  it('numbers of up to forty digits are compared', () => {
    const padded = [1, 2, 3].map((last) => `0${last}`.padStart(41, '0'));
    expect(messages([...padded, '1'.repeat(40)])).toHaveLength(1);
    const longer = [1, 2, 3].map((last) => `0${last}`.padStart(42, '0'));
    expect(messages([...longer, '1'.repeat(41)])).toHaveLength(0);
  });
});
