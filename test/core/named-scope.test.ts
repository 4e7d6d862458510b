import { describe, expect, it } from 'vitest';
import { joinNamed, mostJoined } from '../../src/core/run/named-scope.ts';

const all = { scope: { kind: 'all' } } as const;
const named = (...identifications: string[]) => ({ scope: { kind: 'users', identifications } }) as const;
const many = (count: number, prefix: string) => named(...Array.from({ length: count }, (_, i) => `${prefix}${i}`));

describe('requests that wait, joined into one run', () => {
  it('are none when none waits', () => {
    expect(joinNamed([])).toEqual({ joined: [], identifications: [] });
  });

  it('name everybody once, in order', () => {
    const waiting = [named('A', 'B'), named('B', 'C', 'C')];
    expect(joinNamed(waiting)).toEqual({ joined: waiting, identifications: ['A', 'B', 'C'] });
  });

  it('are only the first one when that is about all people', () => {
    expect(joinNamed([all, named('A'), all])).toEqual({ joined: [all], identifications: [] });
  });

  it('leave a later one about all people for a run of its own', () => {
    const [first, last] = [named('A'), named('B')];
    expect(joinNamed([first, all, last])).toEqual({ joined: [first, last], identifications: ['A', 'B'] });
  });

  it('name as many people together as one request may, and no more', () => {
    const first = many(mostJoined - 1, 'a');
    const [fits, exceeds] = [named('b', 'a1'), named('c')];
    const { joined, identifications } = joinNamed([first, fits, exceeds, named('a1')]);
    expect(joined).toEqual([first, fits]);
    expect(identifications).toHaveLength(mostJoined);
  });

  it('contain the first one whatever its size', () => {
    const first = many(mostJoined + 1, 'a');
    const { joined, identifications } = joinNamed([first, named('a1'), named('b')]);
    expect(joined).toEqual([first]);
    expect(identifications).toHaveLength(mostJoined + 1);
  });
});
