import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Issue,
  messageFor,
  must,
  nearest,
  problemsOf,
  unknownKeySentence,
} from '../../src/core/run/problem-words.ts';

const keys = ['policy', 'delivery', 'mapping', 'match', 'lifecycle', 'outOfScope'];

test.each([
  ['polcy', 'policy'],
  ['Policy', 'policy'],
  ['out_of_scope', 'outOfScope'],
  ['dleivery', 'delivery'],
  ['mach', 'match'],
  ['scope', 'outOfScope'],
  ['redis', undefined],
  ['x', undefined],
  ['', undefined],
  ['fe', undefined],
  ['cycle', 'lifecycle'],
  ['cicle', undefined],
  ['mtahc', undefined],
  ['mapp-ing', 'mapping'],
  ['map ping', 'mapping'],
  ['mapppinng', 'mapping'],
  ['lifecyc', 'lifecycle'],
  ['lifec', undefined],
  ['policypolicypolicy', 'policy'],
  ['policypoliceofficer', undefined],
])('who writes %j means %s', (word, meant) => {
  expect(nearest(word, keys)).toBe(meant);
});

test('a known word is always nearest to itself, and one slip away it is still found', () => {
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.nat(), (key, at) => {
      const cut = at % key.length;
      expect(nearest(key, keys)).toBe(key);
      expect(nearest(key.slice(0, cut) + key.slice(cut + 1), keys)).toBe(key);
    }),
  );
});

test.each([
  ['ab', ['ba'], 'ba'],
  ['ab', ['xy'], undefined],
  ['abc', ['abx'], 'abx'],
  ['abcdef', ['abxyef'], 'abxyef'],
  ['abcdef', ['axyzef'], undefined],
  ['abcde', ['abxye'], undefined],
  ['cab', ['abc'], undefined],
  ['abcdefghi', ['badcfeghi'], 'badcfeghi'],
  ['abcdefghi', ['badcfehgi'], undefined],
  ['bxcb', ['abcb'], undefined],
  ['cxbx', ['xabx'], undefined],
  ['baxb', ['baba'], undefined],
  ['abc', [], undefined],
  ['', ['x'], undefined],
  ['a', ['b'], undefined],
  ['url', ['baseUrl', 'urls'], 'urls'],
  ['url', ['baseUrl', 'tokenUrl'], undefined],
  ['baseUrl', ['url', 'method'], 'url'],
  ['id', ['userid', 'method'], undefined],
  ['abcdefghijklmnopqrstuvwxyzabcdef', ['abcdefghijklmnopqrstuvwx'], 'abcdefghijklmnopqrstuvwx'],
  ['abcdefghijklmnopqrstuvwxyzabcdef', ['abcdefghijklmnopqrstuvw'], undefined],
])('%s among %j means %s', (word, allowed, meant) => {
  expect(nearest(word, allowed)).toBe(meant);
});

test.each([
  ['polcy', 'is not a known key; did you mean policy? Known here: policy, match'],
  ['redis', 'is not a known key; known here: policy, match'],
])('the sentence about %s names the known keys', (key, sentence) => {
  expect(unknownKeySentence(key, ['policy', 'match'])).toBe(sentence);
  expect(unknownKeySentence(key, [])).toBe('is not a known key');
});

const schema = z.strictObject({
  name: z.string().min(1).max(5),
  size: z.int().min(1).max(9).optional(),
  isOn: z.boolean().optional(),
  kind: z.enum(['full', 'delta']).optional(),
  only: z.literal('x').optional(),
  items: z.array(z.string()).min(1).optional(),
  at: z.string({ error: must('must be digits') }).optional(),
  form: z.union([z.strictObject({ a: z.string() }), z.int()]).optional(),
  names: z.record(z.string().regex(/^[a-z]+$/, { error: 'must be in lower case' }), z.int()).optional(),
});

/** The problems as lines: path, whether it is about the key, message, and what is allowed. */
const linesOf = (issues: readonly Issue[], base: readonly string[] = []) =>
  problemsOf(issues, base).map(
    ({ path, message, isOfKey, allowed }) =>
      `${path.join('.')}${isOfKey ? ' (key)' : ''} ${message}${allowed === undefined ? '' : ` [${allowed}]`}`,
  );

test.each<[unknown, readonly string[]]>([
  [{ name: 'ana' }, []],
  [[], ['top must be a mapping of keys and values']],
  [{}, ['top.name is required']],
  [{ name: null }, ['top.name has no value; set one, or delete the key']],
  [{ name: 7 }, ['top.name must be text; put it in quotes']],
  [{ name: true }, ['top.name must be text; put it in quotes']],
  [{ name: ['x'] }, ['top.name must be text']],
  [{ name: '' }, ['top.name must not be empty']],
  [{ name: 'longer' }, ['top.name must not be longer than 5']],
  [{ name: 'a', size: 0 }, ['top.size must be at least 1']],
  [{ name: 'a', size: 10 }, ['top.size must be at most 9']],
  [{ name: 'a', size: 'x' }, ['top.size must be a number']],
  [{ name: 'a', size: 1.5 }, ['top.size must be a whole number']],
  [{ name: 'a', isOn: 1 }, ['top.isOn must be true or false']],
  [{ name: 'a', items: 'x' }, ['top.items must be a list']],
  [{ name: 'a', items: [] }, ['top.items must not be empty']],
  [{ name: 'a', items: ['x', 2] }, ['top.items.1 must be text; put it in quotes']],
  [{ name: 'a', kind: 'ful' }, ['top.kind must be one of full, delta; did you mean full? [full,delta]']],
  [{ name: 'a', kind: 'zzzz' }, ['top.kind must be one of full, delta [full,delta]']],
  [{ name: 'a', kind: null }, ['top.kind has no value; set one, or delete the key [full,delta]']],
  [{ name: 'a', only: 'xx' }, ['top.only must be x [x]']],
  [{ name: 'a', at: 7 }, ['top.at must be digits']],
  [{ name: 'a', at: null }, ['top.at has no value; set one, or delete the key']],
  [{ name: 'a', form: { a: 7 } }, ['top.form.a must be text; put it in quotes']],
  [{ name: 'a', form: 'x' }, ['top.form is not valid here']],
  [{ name: 'a', form: { b: 'x', a: '' } }, [`top.form.b (key) ${unknownKeySentence('b', ['a'])} [a]`]],
  [{ name: 'a', names: { A: 1 } }, ['top.names.A (key) must be in lower case']],
])('of %j the problems are %j', (value, problems) => {
  const result = schema.safeParse(value, { error: messageFor });
  expect(linesOf(result.error?.issues ?? [], ['top'])).toEqual(problems);
});

test('a misspelled key hides the problem of what it would have been, and no other', () => {
  const misspelt = { code: 'unrecognized_keys', path: ['a'], message: 'name,size', keys: ['nme', 'zzzzzzzz'] };
  const custom = (path: readonly string[]) => ({ code: 'custom', path, message: 'needs a name' });
  expect(linesOf([misspelt, custom(['a']), custom(['b']), { ...misspelt, path: [], message: '' }])).toEqual([
    `a.nme (key) ${unknownKeySentence('nme', ['name', 'size'])} [name,size]`,
    `a.zzzzzzzz (key) ${unknownKeySentence('zzzzzzzz', ['name', 'size'])} [name,size]`,
    'b needs a name',
    `nme (key) ${unknownKeySentence('nme', [])} []`,
    `zzzzzzzz (key) ${unknownKeySentence('zzzzzzzz', [])} []`,
  ]);
  expect(must('must be digits')({ input: undefined })).toBe('is required; it must be digits');
});
