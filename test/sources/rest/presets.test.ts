import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseSource } from '../../../src/sources/registry.ts';
import { fillPreset, presetNames } from '../../../src/sources/rest/presets.ts';

const own = `# A preset as an operator writes it.
baseUrl: https://hr.example.com/api
path: /people
items: data
key: id
paging: { style: offset, size: 50 }
`;
const auth = { kind: 'none' };

it('every file of the folder is a preset, and every preset is a file', () => {
  const files = readdirSync(new URL('../../../src/sources/rest/presets', import.meta.url));

  expect(files.sort()).toEqual(presetNames.map((name) => `${name}.yaml`).sort());
});

it.each(['', '---\nsource: { kind: rest }\n'])(
  'a text of an operator is a preset, and keys beside it count more: %j',
  (rest) => {
    const written = { kind: 'rest', preset: `${own}${rest}`, auth, paging: { size: 10 }, total: 'meta.total' };

    expect(fillPreset(written)).toMatchObject({
      baseUrl: 'https://hr.example.com/api',
      paging: { style: 'offset', size: 10 },
      total: 'meta.total',
    });
    expect(parseSource(written)).toMatchObject({ ok: true });
  },
);

it.each(['riplling', 'a list\n- of: texts\n', '[1]\n', 'key: "open\n'])('%j is no preset', (preset) => {
  const { problems } = parseSource({ kind: 'rest', preset, auth }) as { readonly problems: readonly unknown[] };

  expect(problems).toContainEqual({
    path: ['preset'],
    message: expect.stringMatching(/^must be one of rippling, merge, .* or a YAML file .*\$\{file:hr\.yaml\}$/),
  });
});
