import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { document } from '../../src/config/sections/root.ts';
import { durationPattern } from '../../src/core/run/formats.ts';
import { HttpLimits } from '../../src/sources/kit/http/settings.ts';
import { RestConfig } from '../../src/sources/rest/config.ts';
import { SqlConfig } from '../../src/sources/sql/config.ts';

/** Yields the schema of every duration below a schema: text in the form of one, which becomes milliseconds. */
function* durationsIn(node: unknown, path: string, seen = new Set<unknown>()): Generator<readonly [string, z.ZodType]> {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  if (node instanceof z.ZodPipe && hasDurationForm(node)) yield [path, node];
  const below = node instanceof z.ZodObject ? node.shape : node instanceof z.ZodType ? node.def : node;
  for (const [key, value] of Object.entries(below)) yield* durationsIn(value, `${path}.${key}`, seen);
}

function hasDurationForm(schema: z.ZodPipe): boolean {
  const { pattern } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return pattern === durationPattern.source;
}

const settings = Object.entries({ document, HttpLimits, RestConfig, SqlConfig }).flatMap(([name, schema]) => [
  ...durationsIn(schema, name),
]);

it('are found in every section', () => {
  expect(settings.length).toBeGreaterThan(25);
});

/** The longest that a date or a sum of instants can bear: ten times the longest retention. */
const mostMs = 36_500 * 86_400_000;
const given = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom('ms', 's', 'm', 'h', 'd'))
    .map((pair) => pair.join('')),
  fc.tuple(fc.double(), fc.constantFrom('ms', 's', 'm', 'h', 'd', '')).map((pair) => pair.join('')),
  fc.constantFrom('0s', '1ms', '7ms', '1001ms', '1.5s', '-1s', ' 5s', '5 s', '5S', '1e3s', '999999999d', ''),
);

it.each(settings)('%s is whole milliseconds within bounds, or refused', (_, schema) => {
  fc.assert(
    fc.property(given, (text) => {
      const read = schema.safeParse(text);
      if (!read.success) {
        expect(read.error.issues[0]?.message).toContain('duration');
        return;
      }
      expect(Number.isSafeInteger(read.data) && Number(read.data) >= 0 && Number(read.data) <= mostMs).toBe(true);
      expect(Number.isNaN(new Date(1.8e12 - Number(read.data)).getTime())).toBe(false);
    }),
  );
});
