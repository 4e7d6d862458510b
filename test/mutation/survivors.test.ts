import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Accepted, judgeSurvivors, type Mutant, renderJudgement } from '../../scripts/mutate/survivors.ts';

const mutant = (line: number, status: string, change = 'a < b → a <= b'): Mutant => ({
  file: 'src/core/x.ts',
  line,
  code: 'if (a < b) return;',
  change,
  status,
});
const accepted = { file: 'src/core/x.ts', code: 'if (a < b) return;', change: 'a < b → a <= b', reason: 'equal' };

it('a time limit counts as killed, code without a test as survived, and what could not run not at all', () => {
  const { total } = judgeSurvivors(
    ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'RuntimeError'].map((status) => mutant(1, status)),
    [],
  );
  expect(total).toEqual({ file: 'all', mutants: 4, killed: 2, survived: 2, accepted: 0, percent: 50 });
});

it('an accepted survivor is set aside, whatever line its code is on', () => {
  const { total, survivors, stale } = judgeSurvivors(
    [mutant(7, 'Survived'), mutant(9, 'Survived', 'other')],
    [accepted],
  );
  expect(total).toMatchObject({ mutants: 1, survived: 1, accepted: 1, percent: 0 });
  expect(survivors).toEqual([mutant(9, 'Survived', 'other')]);
  expect(stale).toEqual([]);
});

it('an entry is stale when a test kills its mutant, and is not judged when its file was not mutated', () => {
  expect(judgeSurvivors([mutant(1, 'Killed')], [accepted]).stale).toEqual([accepted]);
  expect(judgeSurvivors([mutant(1, 'Timeout')], [accepted]).stale).toEqual([]);
  expect(judgeSurvivors([mutant(1, 'Killed')], [{ ...accepted, file: 'src/core/y.ts' }]).stale).toEqual([]);
});

it('every accepted survivor is in code that still exists', () => {
  const root = join(import.meta.dirname, '../..');
  const entries = JSON.parse(readFileSync(join(root, 'test/mutation/accepted.json'), 'utf8')) as readonly Accepted[];
  const gone = entries.filter(({ file, code }) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return !lines.some((line) => line.trim() === code);
  });
  expect(gone).toEqual([]);
});

it('the report names every survivor with its line and every stale entry', () => {
  const judgement = judgeSurvivors([mutant(7, 'Survived', 'other'), mutant(8, 'Killed')], [accepted]);
  expect(renderJudgement(judgement).split('\n').slice(2)).toEqual([
    '| src/core/x.ts | 2 | 1 | 1 | 0 | 50.0 % |',
    '| all | 2 | 1 | 1 | 0 | 50.0 % |',
    '',
    'Survivors:',
    '',
    '- src/core/x.ts:7 `other` in `if (a < b) return;`',
    '',
    'Accepted survivors that no longer survive; remove the entries:',
    '',
    '- src/core/x.ts `a < b → a <= b` in `if (a < b) return;`',
    '',
  ]);
});
