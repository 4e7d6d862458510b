import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { renderRunbook, renderRunbookTable } from '../../src/server/runbook.ts';
import { runbookEntries } from '../../src/server/runbook-entries.ts';

const operations = new URL('../../docs/operations.md', import.meta.url);

it('the runbook in the documentation is the one of the page', async () => {
  const text = await readFile(operations, 'utf8');
  expect(renderRunbookTable(text)).toBe(text);
  // The table is in there, and the rest of the page stays.
  expect(text).toContain('| `held`, `RollcallHeld` |');
  expect(renderRunbookTable(text.replace('| `held`, ', '| `was-held`, '))).toBe(text);
});

it('the page has an anchor for each topic and rule, and shows commands as code', () => {
  const page = renderRunbook();
  for (const { topic, rules } of runbookEntries) {
    for (const id of [...(topic === undefined ? [] : [topic]), ...rules]) expect(page).toContain(`id="${id}"`);
  }
  expect(page).toContain('<code>rollcall approve RUN</code>');
  expect(page).not.toContain('`');
});
