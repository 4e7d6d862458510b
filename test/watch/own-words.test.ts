import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { redactFields, redactText } from '../../src/watch/logs/create-logger.ts';

const root = join(import.meta.dirname, '../..');
const calls = globSync('{src,jobs}/**/*.ts', { cwd: root }).flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const found = [
    ...text.matchAll(/logger\s*\.\s*(?:debug|info|warn|error|child)\(\s*\{([^{}]*)\}(?:,\s*'([^']*)')?/g),
    ...text.matchAll(/const fields = \{([^{}]*)\}/g),
  ];
  return found.map(([, fields = '', message = '']) => ({ path, fields, message }));
});

it('what we write to the log ourselves is not taken for a secret or a person', () => {
  const names = new Set<string>();
  for (const { path, fields, message } of calls) {
    for (const field of fields.split(',')) {
      const name = /^\s*(\w+)\s*(?::|$)/.exec(field)?.[1];
      if (name === undefined) continue;
      names.add(name);
      expect(
        redactFields({ [name]: 'word' }, () => 'hashed'),
        `${path}: ${name}`,
      ).toEqual({ [name]: 'word' });
    }
    expect(redactText(message), path).toBe(message);
  }
  for (const used of ['run', 'step', 'connection', 'waitMs', 'error', 'durationMs']) expect(names).toContain(used);
});
