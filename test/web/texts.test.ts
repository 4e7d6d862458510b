import { describe, expect, it } from 'vitest';
import { checkGuards, type GuardFacts } from '../../src/core/guard/guard.ts';
import type { User } from '../../src/core/person/fields.ts';
import { changeClasses } from '../../src/core/plan/change.ts';
import { create, disable } from '../../src/core/plan/diff.ts';
import { noPlan } from '../../src/core/run/facts.ts';
import { chooseOutcome, noStates, type RunEnd } from '../../src/core/run/report.ts';
import { noCounts } from '../../src/core/run/run.ts';
import { defaultGuards } from '../../src/core/run/settings.ts';
import { en } from '../../src/web/texts/en.ts';
import { es } from '../../src/web/texts/es.ts';
import { classWord } from '../../src/web/texts/plural.ts';

/** Every text by its place in the catalogue. A text with a count is called with 1 and 2. */
function textsOf(part: unknown, place: string): [string, string][] {
  if (typeof part === 'string') return [[place, part]];
  if (typeof part === 'function') {
    const call = part as (...parts: unknown[]) => unknown;
    if (place.endsWith('.reason')) return [];
    return [1, 2].map((count) => [`${place}(${count})`, String(call(count, count, count, count))]);
  }
  return Object.entries(part as object).flatMap(([name, inner]) => textsOf(inner, `${place}.${name}`));
}

describe.each([
  ['en', en],
  ['es', es],
])('the texts in %s', (_language, texts) => {
  it('are not empty, and say nothing undefined', () => {
    const bad = textsOf(texts, '').filter(([, text]) => text.trim() === '' || /undefined|NaN|\[object/.test(text));
    expect(bad).toEqual([]);
  });
});

it('both languages have the same texts, also for every state', () => {
  const places = (texts: unknown) => textsOf(texts, '').map(([place]) => place);
  expect(places(es)).toEqual(places(en));
});

it('a class of changes is counted as one or many, and one of a newer version is shown as it is', () => {
  expect([1, 2].map((count) => classWord(en.words.classes, 'updates', count))).toEqual(['update', 'updates']);
  expect([1, 2].map((count) => classWord(es.words.classes, 'removes', count))).toEqual(['baja', 'bajas']);
  expect(classWord(en.words.classes, 'merges', 1)).toBe('merges');
});

it('the reasons that guards, plans and runs give are Spanish on the Spanish page, whatever their numbers', () => {
  const none = Object.fromEntries(changeClasses.map((name) => [name, 0])) as GuardFacts['classes'];
  const many = Object.fromEntries(changeClasses.map((name) => [name, 900])) as GuardFacts['classes'];
  const calm = { sync: 'people', recent: none, managed: 90, enabled: 90, rows: 50, fillRates: {}, vanished: [] };
  const facts: readonly GuardFacts[] = [
    { ...calm, classes: { ...many, configuration: 0, handOvers: 0 }, previous: undefined },
    { ...calm, classes: { ...none, disables: 1 }, recent: { ...none, disables: 50 }, previous: undefined },
    { ...calm, classes: { ...none, disables: 1 }, managed: 0, enabled: 0, previous: { rows: 100, fillRates: {} } },
  ];
  const end = (held: number, failed: number): RunEnd => ({
    ...{ counts: { ...noCounts, held, failed }, states: noStates, isCancelled: false, failure: undefined },
    plan: { ...noPlan, unknownPeople: 2, sourceGaps: ['x'], access: { keep: 2, lack: 0 } },
  });
  const user = { id: '1', identification: 'E1', enabled: true, fields: {}, unreadable: [], raw: {} } as unknown as User;
  const reasons = [
    ...facts.flatMap((one) => checkGuards(one, defaultGuards).holds.map(({ reason }) => reason)),
    ...[end(1, 0), end(12, 0), end(0, 1), end(3, 12)].map((one) => chooseOutcome(one).reason ?? ''),
    create('E1', {}).reason,
    disable(user, 'E1', 'left: status is "terminated"').reason,
  ];
  expect(reasons.length).toBeGreaterThan(10);
  const left = reasons
    .map((text) => es.reason(text))
    .filter((text) => /\b(the|of|is|are|was|with|after|waits?)\b/.test(text));
  expect(left).toEqual([]);
  expect(es.reason('a sentence without a translation')).toBe('a sentence without a translation');
});
