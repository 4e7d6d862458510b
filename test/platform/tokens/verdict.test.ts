import { describe, expect, it } from 'vitest';
import { emptyDraft, type TokenEntry } from '../../../src/platform/tokens/vault.ts';
import { type Circumstances, dueAt, judge, usableUntil, type Verdict } from '../../../src/platform/tokens/verdict.ts';

const hour = 3_600_000;
const leaseMs = 25_000;

const ready: TokenEntry = {
  ...emptyDraft,
  generation: 3,
  isReadable: true,
  access: 'access',
  refresh: 'refresh',
  issuedAt: 0,
  expiresAt: hour,
  usedSeeds: ['hash'],
};
const refreshing: TokenEntry = { ...ready, state: 'refreshing', refreshStartedAt: 0, attempts: 1 };

const calm: Circumstances = {
  now: 1000,
  seed: 'used',
  mayPresentSeed: true,
  isAccessUnwanted: false,
  isForced: false,
  dueShare: 0.75,
  leaseMs,
};

const odd: TokenEntry = { ...refreshing, attempts: 3, retryAt: 20_000 };
const late = 10_000 + hour;

const present = (isOptional: boolean): Verdict => ({ kind: 'present', what: 'refresh', isOptional });
const seed = (isOptional: boolean): Verdict => ({ kind: 'present', what: 'seed', isOptional });
const fail = (why: Extract<Verdict, { kind: 'fail' }>['why']): Verdict => ({ kind: 'fail', why });

describe('judge', () => {
  it.each<[string, TokenEntry | undefined, Partial<Circumstances>, Verdict]>([
    ['young', ready, {}, { kind: 'use' }],
    ['just before 75 %', ready, { now: 0.75 * hour - 1 }, { kind: 'use' }],
    ['at 75 %', ready, { now: 0.75 * hour }, present(true)],
    ['a moment before its end', ready, { now: hour - 5000 }, present(false)],
    ['refused', ready, { isAccessUnwanted: true }, present(false)],
    ['a first token that was not exchanged', { ...ready, access: undefined, issuedAt: undefined }, {}, present(false)],
    [
      'the same, by a viewer',
      { ...ready, access: undefined, issuedAt: undefined },
      { mayPresentSeed: false },
      fail('seed-not-allowed'),
    ],
    ['refreshing, still valid', refreshing, { now: hour / 2 }, { kind: 'use' }],
    ['refreshing, past 75 %', refreshing, { now: 0.8 * hour }, { kind: 'use' }],
    ['at 75 %, by a viewer', ready, { now: 0.75 * hour, mayPresentSeed: false }, present(true)],
    [
      'refreshing since an unknown time',
      { ...refreshing, refreshStartedAt: undefined },
      { isAccessUnwanted: true },
      present(false),
    ],
    ['refreshing, refused', refreshing, { isAccessUnwanted: true }, { kind: 'wait', ms: leaseMs - 1000 }],
    ['the same, a lease time later', refreshing, { isAccessUnwanted: true, now: leaseMs }, present(false)],
    ['the same, with the clock put back', refreshing, { isAccessUnwanted: true, now: -hour }, present(false)],
    ['odd answers, still valid', odd, { now: 30_000 }, { kind: 'use' }],
    ['odd answers, refused, before the next try', odd, { isAccessUnwanted: true }, { kind: 'later', ms: 19_000 }],
    ['odd answers, refused, at the next try', odd, { isAccessUnwanted: true, now: 20_000 }, present(false)],
    ['odd answers, an operator asks', odd, { isAccessUnwanted: true, isForced: true }, present(false)],
    ['odd answers, at its end', { ...odd, retryAt: late }, { now: hour }, { kind: 'later', ms: 10_000 }],
    ['odd answers, with the clock put back', odd, { isAccessUnwanted: true, now: -hour }, present(false)],
    [
      'not sent, still valid',
      { ...ready, attempts: 1, refreshStartedAt: 0, retryAt: late },
      { now: 0.8 * hour },
      { kind: 'use' },
    ],
    [
      'not sent, at the next try',
      { ...ready, attempts: 1, refreshStartedAt: 0, retryAt: 0 },
      { now: 0.8 * hour },
      present(true),
    ],
    [
      'not sent once, long ago',
      { ...ready, attempts: 0, refreshStartedAt: 0, retryAt: late },
      { now: 0.8 * hour },
      present(true),
    ],
    [
      'died at the fifth try',
      { ...refreshing, attempts: 5, refreshStartedAt: 1000 },
      { isAccessUnwanted: true, now: leaseMs + 1000 },
      { kind: 'later', ms: 55_000 },
    ],
    [
      'the same, an operator asks',
      { ...refreshing, attempts: 5 },
      { isAccessUnwanted: true, now: leaseMs, isForced: true },
      present(false),
    ],
    ['an unusable access token', { ...ready, access: 'a\nb' }, {}, present(false)],
    ['locked out, while the access token is valid', { ...ready, state: 'reauth-required' }, {}, { kind: 'use' }],
    [
      'locked out, before a further try is due',
      { ...ready, state: 'reauth-required', retryAt: hour + 1 },
      { now: hour },
      fail('reauth'),
    ],
    [
      'locked out, when a further try is due',
      { ...ready, state: 'reauth-required', retryAt: hour },
      { now: hour },
      { kind: 'present', what: 'again', isOptional: false },
    ],
    ['locked out, and expired', { ...ready, state: 'reauth-required' }, { now: hour }, fail('reauth')],
    ['locked out, and refused', { ...ready, state: 'reauth-required' }, { isAccessUnwanted: true }, fail('reauth')],
    [
      'locked out, an operator asks',
      { ...ready, state: 'reauth-required' },
      { isForced: true, isAccessUnwanted: true },
      present(false),
    ],
    ['revoked', { ...ready, state: 'revoked' }, {}, fail('revoked')],
    [
      'not in progress, without a next time',
      { ...odd, state: 'ready', retryAt: undefined, refreshStartedAt: hour - 1000 },
      { now: hour },
      present(false),
    ],
    ['revoked in a refresh, a person asks', { ...refreshing, state: 'revoked' }, { isForced: true }, present(false)],
    ['revoked, a person asks', { ...ready, state: 'revoked' }, { isForced: true }, present(false)],
    [
      'a first token that was not answered',
      odd,
      { seed: 'pending', isAccessUnwanted: true, now: 20_000 },
      present(false),
    ],
    [
      'the same, by a viewer',
      { ...odd, access: undefined },
      { seed: 'pending', mayPresentSeed: false },
      fail('seed-not-allowed'),
    ],
    ['the same behind another token', odd, { seed: 'tried', isAccessUnwanted: true, now: 20_000 }, seed(false)],
    ['the same, before the next try', odd, { seed: 'tried', isAccessUnwanted: true }, { kind: 'later', ms: 19_000 }],
    ['the same, in progress', refreshing, { seed: 'tried' }, { kind: 'use' }],
    ['the same, without a row', undefined, { seed: 'tried' }, seed(false)],
    ['sealed with another key', { ...ready, isReadable: false }, {}, fail('sealed')],
    ['nothing there', undefined, { seed: 'none' }, fail('no-token')],
    ['an emptied row', { ...ready, refresh: undefined }, {}, fail('no-token')],
    ['nothing but a new first token', undefined, { seed: 'new' }, seed(false)],
    ['the same, by a viewer', undefined, { seed: 'new', mayPresentSeed: false }, fail('seed-not-allowed')],
    ['a working pair and a new first token', ready, { seed: 'new' }, seed(true)],
    ['the same, by a viewer', ready, { seed: 'new', mayPresentSeed: false }, { kind: 'use' }],
    ['locked out, with a new first token', { ...ready, state: 'reauth-required' }, { seed: 'new' }, seed(true)],
    ['revoked, with a new first token', { ...ready, state: 'revoked' }, { seed: 'new' }, seed(false)],
  ])('%s', (_, entry, circumstances, verdict) => {
    expect(judge(entry, { ...calm, ...circumstances })).toEqual(verdict);
  });
});

it('a token of unknown life never becomes due and never ends', () => {
  const endless = { issuedAt: 0, expiresAt: undefined };
  expect(dueAt(endless, 0.75)).toBe(Number.POSITIVE_INFINITY);
  expect(usableUntil(endless)).toBe(Number.POSITIVE_INFINITY);
});

it('a token of a short life is used for most of it', () => {
  expect(usableUntil({ issuedAt: 0, expiresAt: 400 })).toBe(380);
  expect(usableUntil({ issuedAt: 100, expiresAt: 500 })).toBe(480);
});

it('a token of which only the end is known is used to its end and not renewed ahead of it', () => {
  expect(usableUntil({ issuedAt: undefined, expiresAt: 400 })).toBe(400);
  expect(dueAt({ issuedAt: undefined, expiresAt: 400 }, 0.75)).toBe(Number.POSITIVE_INFINITY);
});
