import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import { compileExpression, createExpressions } from '../../src/config/expressions.ts';
import { EvaluationError } from '../../src/core/person/field-rule.ts';
import { drawFrom, drawRuns } from '../support/drawn.ts';

type Answer = { readonly value: unknown } | { readonly failed: true };

async function ours(text: string, record: Record<string, unknown>): Promise<Answer> {
  const { evaluate } = compileExpression(text);
  try {
    return { value: await evaluate(record) };
  } catch (error) {
    expect(error).toBeInstanceOf(EvaluationError);
    return { failed: true };
  }
}

async function theirs(text: string, record: Record<string, unknown>): Promise<Answer> {
  try {
    return { value: await jsonata(text).evaluate(record) };
  } catch {
    return { failed: true };
  }
}

const names = ['country', 'type', 'level', 'nested', 'missing'];

const scalar = fc.oneof(
  fc.constantFrom('', ' ', 'UY', 'contractor', '5', '-1.50', '0x1F', '1e3', 'null', ' a  b\n', '👩‍💻é'),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.integer({ min: -9, max: 99 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 0.1, 1e21, 1e-7, -0),
  fc.boolean(),
  fc.constant(null),
);

const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('country', 'level', 'x'), scalar, { maxKeys: 2 }) },
);

const record = fc.record(
  { country: value, type: value, level: value, nested: fc.oneof(value, fc.record({ level: value, x: value })) },
  { requiredKeys: [] },
);

const literal = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '5', '-3', '0.1', '0', '""', '"UY"', '" a "', "'contractor'", '"5"'),
  fc.string({ unit: 'grapheme-ascii', maxLength: 4 }).map((text) => JSON.stringify(text)),
);

const path = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom(
    'nested.level',
    'nested.x',
    'country.level',
    '$.country',
    '$$.nested.level',
    '`country`',
    'nested.x.level',
  ),
);

/** Expressions of the simple part, as text. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  const one = ['trim', 'lowercase', 'uppercase', 'length', 'number', 'string', 'boolean', 'not', 'exists'];
  const two = ['substring', 'substringBefore', 'substringAfter', 'contains'];
  const operators = ['&', '=', '!=', '<', '<=', '>', '>=', 'and', 'or', 'in', '+', '-', '*', '/', '%'];
  return {
    expression: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      path,
      literal,
      fc.tuple(inner, fc.constantFrom(...operators), inner).map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
      fc.tuple(inner, fc.array(inner, { maxLength: 3 })).map(([a, items]) => `(${a}) in [${items.join(', ')}]`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a}) ? (${b})`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a}) ?? (${b})`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a}) ?: (${b})`),
      fc.tuple(fc.constantFrom(...one), inner).map(([name, a]) => `$${name}(${a})`),
      fc.tuple(fc.constantFrom(...two), inner, inner).map(([name, a, b]) => `$${name}(${a}, ${b})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `$substring(${a}, ${b}, ${c})`),
      inner.map((a) => `-(${a})`),
    ),
  };
});

describe('expressions', () => {
  it('have the result of JSONata for every simple expression and every record', async () => {
    await fc.assert(
      fc.asyncProperty(expression, record, async (text, fields) => {
        expect(await ours(text, fields)).toEqual(await theirs(text, fields));
      }),
      { numRuns: drawRuns(2_000) },
    );
  });

  it('have the result of JSONata for every operator and function on every pair of kinds of values', async () => {
    const a = [
      '',
      ' ',
      'a',
      'B',
      '10',
      '9',
      ' a \t b ',
      '-1.5',
      '1e3',
      '0x1F',
      '.5',
      '👩é',
      'ab-cd',
      '-',
      'true',
      'null',
    ];
    const b = [0, -0, 1, 2, -1, 9.5, 0.1 + 0.2, 1 / 3, 1e21, 1e-7, 1e308, true, false, null, undefined];
    const values: readonly unknown[] = [...a, ...b, ['a'], [], [1, 2], {}, { a: 1 }];
    const binary = ['&', '=', '!=', '<', '<=', '>', '>=', 'and', 'or', 'in', '+', '-', '*', '/', '%'];
    const one = ['trim', 'lowercase', 'uppercase', 'length', 'number', 'string', 'boolean', 'not', 'exists'];
    const two = ['substring', 'substringBefore', 'substringAfter', 'contains'];
    const texts = [
      ...binary.map((operator) => `x ${operator} y`),
      ...one.map((name) => `$${name}(x)`),
      ...two.map((name) => `$${name}(x, y)`),
      '-x',
      'x in [y, "a", 1]',
      'x ? y',
      'x ? y : "no"',
      'x ?? y',
      '$substring("añ👩cdef", x, y)',
      '$substring(x, 1, y)',
    ];
    const differences: unknown[] = [];

    for (const text of texts) {
      for (const x of drawFrom(values, 8)) {
        for (const y of /\by\b/.test(text) ? values : [undefined]) {
          const [mine, real] = [await ours(text, { x, y }), await theirs(text, { x, y })];
          if (!isDeepStrictEqual(mine, real)) differences.push({ text, x, y, mine, real });
        }
      }
    }

    expect(differences).toEqual([]);
  });

  it.each([
    'country',
    'nested.level',
    '`cost center`',
    "country = 'UY' and type != 'contractor'",
    "$number(level) > 5 ? 'Senior' : 'Junior'",
    "$trim(first) & ' ' & $uppercase(last)",
    "country in ['UY', 'AR']",
    '$exists(end) ? $substring(end, 0, 4)',
    '$not(status = "x") or $lowercase(type) = "y"',
    "$substringBefore(email, '@')",
    'level * 2 + 1',
  ])('answer at once, without JSONata: %s', (text) => {
    const fields = { country: 'UY', level: 7, nested: { level: 1 }, first: 'Ana', last: 'Paz', end: '2026', type: 'a' };
    const answer = compileExpression(text).evaluate({
      ...fields,
      status: 's',
      email: 'a@example.com',
      'cost center': '1',
    });

    expect(answer).not.toBeInstanceOf(Promise);
  });

  it.each([
    ["$join(tags, '-')", 'a-b'],
    ['tags[0]', 'a'],
    ["$replace(name, /x+/, 'y')", 'ayb'],
    ['tags ~> $count()', 2],
    ['($n := name; $uppercase($n))', 'AXXB'],
    ['people[role="main"].mail', 'a@example.com'],
    ['$join(people.mail, " ")', 'a@example.com b@example.com'],
    ['name.$uppercase()', 'AXXB'],
  ])('that are not simple are left to JSONata: %s', async (text, expected) => {
    const people = [
      { role: 'main', mail: 'a@example.com' },
      { role: 'other', mail: 'b@example.com' },
    ];
    const answer = compileExpression(text).evaluate({ tags: ['a', 'b'], name: 'axxb', people });

    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toEqual(expected);
  });

  it('ask JSONata on the records whose values a closure does not handle, only', async () => {
    const { evaluate } = compileExpression("country = 'UY'");

    expect(evaluate({ country: 'UY' })).toBe(true);
    expect(await evaluate({ country: ['UY'] })).toBe(await jsonata("country = 'UY'").evaluate({ country: ['UY'] }));
  });

  it('see own keys only', () => {
    expect(compileExpression('constructor').evaluate({})).toBeUndefined();
    expect(compileExpression('$exists(toString)').evaluate({})).toBe(false);
  });

  it.each([
    ["country = 'UY' and nested.level > 1", ['country', 'nested']],
    ['$.a & $$.b.c', ['a', 'b']],
    ['`cost center` & list[x = 1].y', ['cost center', 'list']],
    ['$map(list, function($v) { $v.name & country })', ['list', 'country']],
    ["{ 'k': a, b: c }", ['a', 'b', 'c']],
    ['a ~> $uppercase()', ['a']],
    ["($n := a.b; $n.c & [d, 'e'])", ['a', 'd']],
    ['a ? b : c', ['a', 'b', 'c']],
    ['(a).b', ['a']],
    ["'constant'", []],
    ['a & a', ['a']],
  ])('name the fields that they read: %s', (text, reads) => {
    expect([...compileExpression(text).reads].sort()).toEqual([...reads].sort());
  });

  it.each(['a +', '(a', "country = 'UY", 'a b', ''])('that do not compile are refused: %j', (text) => {
    expect(() => createExpressions().compile(text)).toThrow(SyntaxError);
  });

  it('say where they do not compile', () => {
    expect(() => compileExpression('country = = 1')).toThrow(/not a JSONata expression at character 11/);
  });

  it.each([
    ['$number(secret)', /cannot be read as a number \(JSONata D3030\)/],
    ['secret < 5', /different types \(JSONata T2009\)/],
    ['$uppercase(5 & secret) - 1', /left side of an operator is not a number \(JSONata T2001\)/],
    ['$error(secret)', /\$error was called \(JSONata D3137\)/],
    ['($f := function($x) { $f($x) + 1 }; $f(1))', /calls itself too deeply/],
  ])('that fail on a record say why, without a value of it: %s', async (text, reason) => {
    const failure = await Promise.resolve(compileExpression(text).evaluate({ secret: 'hunter2' })).catch(
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(EvaluationError);
    expect(String(failure)).toMatch(reason);
    expect(JSON.stringify(failure) + String(failure)).not.toContain('hunter2');
  });
});
