import { describe, expect, it } from 'vitest';
import { openStanding, type PairDecision } from '../../../src/core/plan/standing.ts';
import type { Finding } from '../../../src/core/run/finding.ts';
import { leaveAsDecided } from '../../../src/run/compare/alike.ts';
import type { Reading } from '../../../src/run/read/choose-read.ts';
import { mark } from '../../../src/run/read/marks.ts';
import { person } from '../../core/cases.ts';
import { someInstant } from '../../support/fake-clock.ts';
import { openIndex } from '../open-index.ts';

const full = { kind: 'full' } as Reading;
const delta = { kind: 'delta' } as Reading;
const { inSource, active, bystander, conflict, left } = mark;
const decision = (way: PairDecision['way'], over: Partial<PairDecision> = {}): PairDecision => {
  return { way, identification: 'N1', other: 'E1', by: 'ana', until: someInstant, ...over };
};

/** An index of people with these marks; who is not in the source has no record. */
function indexOf(people: Readonly<Record<string, number>>, fields: Readonly<Record<string, string>> = {}) {
  const index = openIndex(['firstName', 'birthDate']);
  for (const [identification, marks] of Object.entries(people)) {
    const slot = index.add(identification);
    if ((marks & inSource) === 0) index.name(slot, identification);
    else index.fill(slot, person({ identification, fields }));
    index.set(slot, marks);
  }
  return index;
}

describe('a pair that is left as it is', () => {
  const gone = { N1: inSource, E1: mark.ours };

  it.each<{
    name: string;
    people?: object;
    reading?: Reading;
    way?: PairDecision['way'];
    kept?: string[];
    isTold?: false;
  }>([
    { name: 'both', kept: ['N1', 'E1'] },
    { name: 'both, in a delta', reading: delta, kept: ['N1', 'E1'] },
    { name: 'the person, without an account', people: { N1: inSource }, kept: ['N1'] },
    { name: 'the person, of an account in use', people: { ...gone, E1: inSource | active }, kept: ['N1'] },
    { name: 'both, of a leaver', people: { ...gone, E1: inSource }, kept: ['N1', 'E1'] },
    { name: 'none, without a record', people: { N1: mark.ours, E1: mark.ours } },
    { name: 'none, of no one', people: { n1: inSource } },
    { name: 'the account, in a delta', people: { E1: mark.ours }, reading: delta, kept: ['E1'] },
    { name: 'none, of two people', way: 'apart' },
    {
      name: 'both, silently beside the people whom the run is about',
      people: { N1: inSource | bystander, E1: bystander },
      kept: ['N1', 'E1'],
      isTold: false,
    },
    { name: 'both, with one of them', people: { ...gone, E1: bystander }, kept: ['N1', 'E1'] },
  ])('keeps $name', ({ people = gone, reading = full, way = 'leave', kept = [], isTold = kept.length > 0 }) => {
    const index = indexOf(people as Readonly<Record<string, number>>);
    const findings: Finding[] = [];
    const standing = openStanding([decision(way, { why: 'a case' })]);
    leaveAsDecided({ index, reading, standing, find: (one) => void findings.push(one) });
    const marked = Object.keys(people).filter((name) => index.has(index.find(name).slot, conflict | left));
    expect(marked).toEqual(kept);
    const message =
      'N1 is left out, and the account of E1 is kept, until 2026-11-21 12:00 UTC. ana decided this: a case';
    expect(findings).toEqual(isTold ? [{ code: 'left-as-decided', identification: 'N1', message, other: 'E1' }] : []);
  });
});
