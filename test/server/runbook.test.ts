import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { anchorOf, listedCodes } from '../../src/core/run/codes/code-list.ts';
import { renderRunbook, renderRunbookList } from '../../src/server/page/serve-page.ts';

const operations = new URL('../../docs/operations.md', import.meta.url);

it('the list of alerts in the documentation is generated from the codes', async () => {
  const text = await readFile(operations, 'utf8');
  expect(renderRunbookList(text)).toBe(text);
  // The list is in there, and the rest of the page stays.
  expect(text).toContain('- [changes-held](codes.md#changes-held) (`RollcallHeld`): ');
  expect(renderRunbookList(text.replace('- [changes-held]', '- [was-held]'))).toBe(text);
});

it('the page has one anchor for each code, topic and rule, and shows commands as code', () => {
  const page = renderRunbook();
  const ids = listedCodes.flatMap(({ code, topic, rules }) => [
    anchorOf(code),
    ...rules,
    ...(topic === undefined ? [] : [topic]),
  ]);
  for (const id of new Set(ids)) expect(page.split(`id="${id}"`)).toHaveLength(2);
  expect(page).toContain('<code>rollcall approve RUN</code>');
  expect(page).not.toContain('`');
});
