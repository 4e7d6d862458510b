import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawFrom } from '../../support/drawn.ts';
import { slowly } from '../../support/slowness.ts';
import { type Cell, oddCases, runOddAnswers } from './odd-answers.ts';
import { linesOf, withOddAnswers } from './odd-answers-page.ts';

const page = new URL('../../../docs/tokens.md', import.meta.url);
const cases = drawFrom(oddCases, 4);
let cells: readonly Cell[];

beforeAll(async () => {
  cells = await runOddAnswers(cases);
}, slowly(300_000));

const isGranted = ({ case: { fault } }: Cell) => fault.startsWith('token:merge') || fault === 'token:slow=0';
const isRefused = ({ case: { fault } }: Cell) => fault === 'token:invalid_grant';

describe('after odd answers, the first, second and tenth time, with a kill before and after it is stored', () => {
  it('a token is never presented again once its pair was stored', () => {
    const stored = cells.filter((cell) => isGranted(cell) && cell.kill !== 'before');
    expect(stored).not.toEqual([]);
    expect(stored.filter(({ next, end, seen }) => next !== 'new' || end !== 'granted' || seen !== 1)).toEqual([]);
  });

  it('a token that the platform did not use is presented again, and works', () => {
    const kept = cells.filter((cell) => !isGranted(cell) && !isRefused(cell) && cell.case.isLost !== true);
    expect(kept).not.toEqual([]);
    expect(kept.filter(({ next, end }) => next !== 'same' || end !== 'granted')).toEqual([]);
  });

  it('a community is locked out only where the token was used and its answer cannot be known, or by a refusal', () => {
    const out = cells.filter(({ end }) => end !== 'granted');
    const isKnown = (cell: Cell) =>
      isRefused(cell) || cell.case.isLost === true || (isGranted(cell) && cell.kill === 'before');
    expect(out.filter((cell) => !isKnown(cell))).toEqual([]);
  });

  it('from the second answer on the alert names the endpoint, and a usable pair raises none', () => {
    const told = cells.filter(({ kill, time }) => kill === 'none' && time > 1);
    const odd = told.filter((cell) => !isRefused(cell) && cell.state === 'refreshing');
    expect(new Set(odd.map(({ alert }) => alert))).toEqual(new Set(['critical, endpoint']));
    const usable = told.filter((cell) => isGranted(cell) && cell.state === 'ready');
    expect(new Set(usable.map(({ alert }) => alert))).toEqual(new Set(['none']));
  });

  it('is what docs/tokens.md says: `npm run docs` writes it', async () => {
    const text = await readFile(page, 'utf8');
    for (const line of linesOf(cells)) expect(text.split('\n')).toContain(line);
    if (cases.length === oddCases.length) expect(withOddAnswers(text, cells)).toBe(text);
    for (const { name } of oddCases) expect(text).toContain(`| ${name} | 10. |`);
  });
});
