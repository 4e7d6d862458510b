import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSource, parseSource, sourceKinds } from '../../src/sources/registry.ts';
import { sourceBase } from '../support/source-base.ts';

const known = sourceKinds.map(({ kind }) => kind).join(', ');

describe('the registry of sources', () => {
  it('has every folder beside it except the kit, and nothing else', () => {
    const beside = readdirSync(new URL('../../src/sources', import.meta.url), { withFileTypes: true });
    const folders = beside.filter((entry) => entry.isDirectory() && entry.name !== 'kit').map(({ name }) => name);

    expect(sourceKinds.map(({ kind }) => kind).sort()).toEqual(folders.sort());
  });

  it.each([
    [{ kind: 'fax' }, `"fax" is unknown; known kinds: ${known}`],
    [{}, `is missing; known kinds: ${known}`],
    [undefined, `is missing; known kinds: ${known}`],
    ['csv', `is missing; known kinds: ${known}`],
  ])('refuses %j', (config, message) => {
    expect(parseSource(config)).toEqual({ ok: false, problems: [{ path: ['kind'], message }] });
  });

  it('opens a source, or throws with every problem', () => {
    expect(openSource({ kind: 'csv', path: 'a.csv' }, sourceBase('/')).kind).toBe('csv');
    expect(() => openSource({ kind: 'csv', pth: 'a.csv', complete: 'maybe' }, sourceBase('/'))).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/source\.complete: .*pth/),
      }),
    );
  });
});
