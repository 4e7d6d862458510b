import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Baseline, compareWithBaseline, countOffences, shrink } from './baseline.ts';
import { lintFiles, proseFiles } from './lint-prose.ts';

/**
 * Checks the English of pages, messages and comments (docs/decisions/018). Without arguments: all files against the
 * baseline. With files: every offence in them, also those of the baseline. `--shrink` takes what is repaired out of
 * the baseline. `--accept FILE…` allows what these files have now, for a page that moved.
 */
const root = new URL('../../', import.meta.url).pathname;
const baselinePath = new URL('baseline.json', import.meta.url);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { shrink: { type: 'boolean' }, accept: { type: 'boolean' } },
});
const write = (text: string): void => void process.stdout.write(`${text}\n`);
const baseline = JSON.parse(readFileSync(baselinePath, 'utf8')) as Baseline;
const save = (next: Baseline): void => {
  const sorted = Object.entries(next).toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(baselinePath, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
};
const total = (of: Baseline): number =>
  Object.values(of)
    .flatMap((rules) => Object.values(rules))
    .reduce((sum, count) => sum + count, 0);
const lines = (found: Awaited<ReturnType<typeof lintFiles>>): string =>
  found.map(({ path, line, rule, message }) => `${path}:${line} ${rule}: ${message}`).join('\n');

const found = await lintFiles(root, positionals.length > 0 ? positionals : proseFiles(root));
if (values.accept === true) save({ ...baseline, ...countOffences(found) });
else if (values.shrink === true) save(shrink(found, baseline));
else if (positionals.length > 0) {
  write(found.length === 0 ? 'no offences' : lines(found));
} else {
  const { tooMany, tooLarge } = compareWithBaseline(found, baseline);
  if (tooMany.length > 0)
    write(`${lines(tooMany)}\n\nThe files above have more offences than scripts/prose/baseline.json allows.`);
  if (tooLarge.length > 0) {
    write(
      `${tooLarge.join('\n')}\n\nThe baseline is larger than needed: run "npm run prose -- --shrink", and commit it.`,
    );
  }
  if (tooMany.length + tooLarge.length > 0) process.exitCode = 1;
  else write(`prose: no new offences; ${total(baseline)} old ones are left in the baseline`);
}
