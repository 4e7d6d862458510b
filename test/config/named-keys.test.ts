import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Words of a message that send the reader to a key: `raise limits.timeout`, `set dialect.search.pageSize`. */
const advice = /(?:raise|lower|set|by) ((?:limits|dialect|settle)(?:\.[a-zA-Z]+)+)/gi;

function keysNamedIn(folder: string): readonly string[] {
  const files = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(new URL(`${folder}/${name}`, root), 'utf8').matchAll(advice)])
    .map(([, key = '']) => key);
}

test('a message that sends somebody to a setting names one that exists', () => {
  const reference = readFileSync(new URL('docs/configuration.md', root), 'utf8');
  const named = new Set(['src/platform', 'src/run', 'src/delivery', 'src/config'].flatMap(keysNamedIn));
  const isKnown = (key: string) =>
    [key, key.replace('dialect.', '')].some((name) =>
      ['-', '|'].some((mark) => reference.includes(`\n${mark} \`${name}\` `)),
    );

  expect(named.size).toBeGreaterThan(3);
  expect([...named].filter((key) => !isKnown(key))).toEqual([]);
});
