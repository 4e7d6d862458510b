import { describe, expect, it } from 'vitest';
import { type PlayedCase, playCase } from './hr-case.ts';

const leaverGone = ({ last, isEnabled }: PlayedCase): void => {
  expect(isEnabled('E120')).toBe(false);
  expect(isEnabled('E121')).toBe(true);
  expect(last.report().counts).toMatchObject({ create: 0, disable: 1 });
  expect(last.code).toBe(0);
};

/** What must be true after the last command of each case about files and what surrounds the cells that are read. */
const right: Readonly<Record<string, (played: PlayedCase) => void>> = {
  '07A-quote-in-plain-cell': leaverGone,
  '07C-backslash-quotes': leaverGone,
  '07D-space-before-quote': (played) => {
    leaverGone(played);
    expect(played.fields('E110')?.area).toBe('Ops');
  },
  '08A-excel-short-rows': leaverGone,
  '08B-row-trailing-delimiter': leaverGone,
  '08C-header-trailing-delimiter': leaverGone,
  '08D-duplicate-unmapped-columns': leaverGone,
  '09A-title-lines': ({ last }) =>
    expect(`${last.stdout}${last.stderr}`).toMatch(/Line 4 looks like the header: set source.skipLines: 3/),
  '09D-ctrl-z': leaverGone,
  '16A-windows-1250': ({ last, identifications, fields }) => {
    expect(last.code).toBe(0);
    const names = identifications().map((id) => `${fields(id)?.firstName} ${fields(id)?.lastName}`);
    expect(names.join()).toMatch(/Łukasz|Wiśniewski/);
  },
  '16C-windows-1250-unset': ({ last }) => {
    expect(last.code).toBe(1);
    expect(`${last.stdout}${last.stderr}`).toMatch(/These fit: .*windows-1250/);
  },
  '19B-concatenated-headers-no-status': ({ last, identifications }) => {
    expect(identifications()).not.toContain('id');
    expect(last.told()).toMatch(/1 row is the header again/);
  },
  '27A-html-table-as-csv': ({ last }) => {
    expect(last.code).toBe(1);
    expect(`${last.stdout}${last.stderr}`).toMatch(/is HTML or XML, not CSV/);
  },
  '28A-one-bad-byte-unmapped': (played) => {
    leaverGone(played);
    expect(played.last.told()).toMatch(/1 byte is no character of utf-8/);
  },
  'R3-entra-bulk': ({ last }) =>
    expect(`${last.stdout}${last.stderr}`).toMatch(/Line 2 looks like the header: set source.skipLines: 1/),
};

describe('files are read with sense', () => {
  it.each(Object.entries(right))('%s', async (name, check) => check(await playCase(name)));
});
