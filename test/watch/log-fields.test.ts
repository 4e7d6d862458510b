import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { redactFields } from '../../src/watch/logs/create-logger.ts';

const src = join(import.meta.dirname, '../../src');

/** The names of fields that log lines are written with, each with the line of the source. */
function fieldsInSource(): readonly (readonly [string, string])[] {
  return globSync('**/*.ts', { cwd: src }).flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    const lists = [
      ...text.matchAll(/logger\s*\.\s*(?:debug|info|warn|error|child)\(\s*\{([^{}]*)\}/g),
      ...text.matchAll(/const fields = \{([^{}]*)\}/g),
    ];
    return lists.flatMap(([, list = '']) =>
      list.split(',').flatMap((part) => {
        const name = /^\s*(?<name>\w+)\s*(?::|$)/.exec(part)?.groups?.name;
        return name === undefined ? [] : [[name, file] as const];
      }),
    );
  });
}

it('no line of the log is written with a name under which every value is taken out', () => {
  const all = fieldsInSource();
  const names = new Set(all.map(([name]) => name));
  for (const used of ['run', 'step', 'connection', 'waitMs', 'error', 'durationMs']) expect(names).toContain(used);
  const lost = all.filter(([name]) => redactFields({ [name]: 'word' }, () => 'hash')[name] === '[redacted]');
  expect(lost).toEqual([]);
});
