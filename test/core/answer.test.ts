import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerProfile, doubtAnswers, mergeAnswers, openAnswers } from '../../src/core/guard/answer.ts';

const name = 'GET /people';
const people = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `E${i}`, status: 'error', code: 500 }));

interface Read {
  readonly pages: readonly object[];
  readonly people: number;
}

const one = (count: number, beside: object = {}): Read => ({
  pages: [{ ...beside, data: people(count) }],
  people: count,
});

function factsOf({ pages, people: count }: Read, before?: AnswerProfile, isShorter?: boolean) {
  const answers = openAnswers();
  for (const page of pages) answers.see(name, page);
  const counts = new Map([[name, { people: count, advice: '' }]]);
  return { now: answers.profile(), before, counts, isShorter };
}

/** What the last of some accepted reads is doubted for, and whether it is complete, unsure or only told. */
function judge(reads: readonly Read[], next: Read, isSome = false): readonly string[] {
  let before: AnswerProfile | undefined;
  for (const read of reads) before = mergeAnswers(factsOf(read, before, false));
  const isShorter = next.people < (reads.at(-1)?.people ?? 0);
  const { gaps, unsure, notes } = doubtAnswers(factsOf(next, before, isSome ? undefined : isShorter));
  const membersOf = (kind: string, texts: readonly string[]) =>
    texts.map((text) => `${kind} ${/`(.*?)`/.exec(text)?.[1]}`);
  return [...membersOf('gap', gaps), ...membersOf('unsure', unsure), ...membersOf('note', notes)];
}

const fine = { success: true, status: 'ok', code: 200, error: null, errors: [], hasErrors: false, message: '' };

describe('an answer is compared with those of the last accepted read', () => {
  it.each<[string, Read, readonly string[]]>([
    ['nothing changed', one(30, fine), []],
    ['fewer people alone', one(28, fine), []],
    ['success became false', one(30, { ...fine, success: false }), ['gap success']],
    ['success became null', one(30, { ...fine, success: null }), ['gap success']],
    ['success is gone', one(28, { ...fine, success: undefined }), ['gap success']],
    ['another word of status', one(30, { ...fine, status: 'degraded' }), ['gap status']],
    ['a flag was set', one(30, { ...fine, hasErrors: true }), ['gap hasErrors']],
    ['a flag became null', one(30, { ...fine, hasErrors: null }), []],
    ['a code of 503, and fewer people', one(28, { ...fine, code: 503 }), ['gap code']],
    ['a code of 503, and all people', one(30, { ...fine, code: '503' }), ['unsure code']],
    ['an error as object, and fewer people', one(28, { ...fine, error: { code: 1 } }), ['gap error']],
    ['an error as object, and all people', one(30, { ...fine, error: { code: 1 } }), ['unsure error']],
    ['errors, and fewer people', one(28, { ...fine, errors: [{ message: 'x' }] }), ['gap errors']],
    ['a fault of its own, and fewer people', one(28, { ...fine, fault: { detail: { code: 9 } } }), ['gap fault']],
    ['warnings, and fewer people', one(28, { ...fine, warnings: [{ code: 503 }] }), ['gap warnings']],
    ['a sentence, and fewer people', one(28, { ...fine, message: 'Upstream timed out' }), ['gap message']],
    ['a word, and fewer people', one(28, { ...fine, note: 'UPSTREAM_TIMEOUT' }), ['gap note']],
    ['a false flag, and fewer people', one(28, { ...fine, cached: false }), []],
    ['an id of a request', one(30, { ...fine, trace: 'a1-b2' }), ['note trace']],
    ['an id of a request, and fewer people', one(28, { ...fine, trace: 'a1-b2' }), ['unsure trace']],
    ['an address', one(30, { ...fine, self: 'https://hr.test/people list' }), ['note self']],
  ])('%s', (_, next, found) => {
    expect(judge([one(30, fine)], next)).toEqual(found);
  });

  it('looks at each place of the pages: what the last page says is no news of the last page', () => {
    const pages = (last: object, middle: object = {}) => ({
      pages: [
        { hasMore: true, next: '/2', data: people(10) },
        { hasMore: true, next: '/3', data: people(10), ...middle },
        { hasMore: false, next: null, data: people(10), ...last },
      ],
      people: 30,
    });
    expect(judge([pages({})], pages({}))).toEqual([]);
    expect(judge([pages({})], pages({ hasMore: true }))).toEqual(['gap hasMore']);
    expect(judge([pages({})], { ...pages({}, { error: { code: 'X' } }), people: 28 })).toEqual(['gap error']);
    expect(judge([pages({})], one(9, { hasMore: false }))).toEqual([]);
    expect(judge([one(9, { hasMore: false, ok: true })], pages({ ok: true }, { ok: true }))).toEqual([
      'unsure hasMore',
      'unsure ok',
      'note next',
    ]);
  });

  it('does not take what varied for a signal', () => {
    const day = (word: string, count = 30) => one(count, { weekday: word, took: word.length * 40 });
    expect(judge([day('monday'), day('tuesday')], day('saturday-and-on', 28))).toEqual([]);
  });

  it('knows a total by what it was, whatever its name', () => {
    expect(judge([one(30, { headcount: 30 })], one(28, { headcount: 30 }))).toEqual(['gap headcount']);
    expect(judge([one(30, { headcount: 30 })], one(31, { headcount: 31 }))).toEqual([]);
    expect(judge([one(30, { total: 90 })], one(28, { total: 90 }))).toEqual([]);
    expect(judge([], one(28, { 'header x-total-count': '30' }))).toEqual(['gap header x-total-count']);
    expect(judge([], one(28, { meta: { total: 30 } }))).toEqual(['gap meta.total']);
    expect(judge([one(399, { n: 399 })], one(420, { n: 420 }))).toEqual([]);
  });

  it('has no list to measure in a read of some people: what may be an error makes it incomplete', () => {
    expect(judge([one(30, fine)], one(2, { ...fine, error: { code: 1 } }), true)).toEqual(['gap error']);
    expect(judge([one(30, fine)], one(2, fine), true)).toEqual([]);
  });

  it('never lets a shorter list pass beside a further member that says something', () => {
    const member = fc.tuple(fc.string({ minLength: 1 }), fc.jsonValue());
    const isSaid = (value: unknown) =>
      !(value === null || value === false || value === 0 || (typeof value === 'string' && value.trim() === '')) &&
      !(typeof value === 'object' && value !== null && Object.keys(value).length === 0) &&
      !(typeof value === 'string' && /^(?:0|false)$/.test(value.trim()));
    fc.assert(
      fc.property(member, fc.integer({ min: 1, max: 29 }), ([key, value], count) => {
        fc.pre(
          isSaid(value) &&
            String(value).trim() !== String(count) &&
            !(key in { ...fine, data: 1, ...Object.prototype }),
        );
        expect(judge([one(30, fine)], one(count, { ...fine, [key]: value }))).not.toEqual([]);
      }),
    );
  });
});
