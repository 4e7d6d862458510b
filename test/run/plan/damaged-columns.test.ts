import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import { defaultGuards } from '../../../src/core/run/settings.ts';
import { drawFrom } from '../../support/drawn.ts';
import { account, openPlanScene, type PlanScene, row } from '../plan-scene.ts';

const day = 86_400_000;
const two = (n: number): string => String(n).padStart(2, '0');
const firstNames = ['Ana', 'Bruno', 'Clara', 'Diego', 'Elena', 'Franco', 'Gina', 'Hugo', 'Irene', 'Jorge'];
const lastNames = ['Ruiz', 'Soto', 'Weber', 'Paz', 'Kent'];

/** 30 people: three left, two are out of scope. */
const records = Array.from({ length: 30 }, (_, i) =>
  row(`E${101 + i}`, {
    first: firstNames[i % 10],
    last: lastNames[Math.floor(i / 6)],
    email: `p${101 + i}@corp.test`,
    born: `${1960 + i}-0${1 + (i % 9)}-1${i % 10}`,
    hired: `20${two(i % 24)}-0${1 + (i % 9)}-2${i % 9}`,
    area: ['Ops', 'Sales', 'Legal'][i % 3],
    status: i < 3 ? 'left' : 'active',
    leaves: i < 3 ? `2025-0${1 + i}-15` : '',
    type: i >= 28 ? 'guest' : 'staff',
  }),
);

const accountOf = ({ fields: f }: SourceRecord) =>
  account(String(f.id), {
    enabled: f.status === 'active',
    fields: {
      ...{ firstName: String(f.first), lastName: String(f.last), email: String(f.email), area: String(f.area) },
      birthDate: String(f.born),
    },
  });

async function settled(): Promise<PlanScene> {
  const users = records.filter(({ fields }) => fields.type === 'staff').map(accountOf);
  const settings = { guards: defaultGuards, missing: { afterReads: 2, minAgeMs: 0 } };
  const scene = await openPlanScene({ records, users, settings });
  expect((await scene.plan()).kinds).toEqual({});
  return scene;
}

/** The kinds of change that pass without a person in two reads, a day apart, of these rows. */
async function passing(damaged: readonly SourceRecord[]): Promise<readonly string[]> {
  const scene = await settled();
  const found: string[] = [];
  for (const _ of [1, 2]) {
    scene.clock.jumpTo(scene.clock.now() + day);
    scene.source.records = damaged;
    scene.source.end = { complete: true, rows: damaged.length, evidence: 'all', stamp: `${scene.clock.now()}` };
    const { kinds } = await scene.plan();
    found.push(...Object.entries(kinds).flatMap(([id, kind]) => (kind.includes(' ') ? [] : [`${kind} ${id}`])));
  }
  return found.filter((one) => /^(?:create|enable|disable|remove) /.test(one));
}

type Damage = (value: string, i: number, all: readonly string[]) => string;

const damages: Readonly<Record<string, Damage>> = {
  blank: () => '',
  constant: () => 'hidden',
  zero: () => '0',
  'an error': () => '#N/A',
  masked: (value) => value.replace(/./g, '*'),
  template: () => '{{ value }}',
  capitals: (value) => value.toUpperCase(),
  'a prefix': (value) => `X-${value}`,
  'a suffix': (value) => `${value} (old)`,
  'no signs': (value) => value.replace(/[^A-Za-z\d]/g, ''),
  cut: (value) => value.slice(0, 3),
  'without its end': (value) => value.slice(0, -1),
  reversed: (value) => [...value].reverse().join(''),
  dates: (_, i) => `2026-01-${two(1 + i)}`,
  numbers: (_, i) => String(i),
  'the row below': (_, i, all) => all[(i + 1) % all.length] ?? '',
  sorted: (_, i, all) => all.toSorted()[i] ?? '',
  'sorted backwards': (_, i, all) => all.toSorted().reverse()[i] ?? '',
  'the most common one': (_, __, all) => all[15] ?? '',
  'the first one': (_, __, all) => all[0] ?? '',
};
const columns = ['id', 'first', 'last', 'email', 'born', 'hired', 'area', 'status', 'leaves', 'type'] as const;

function withDamage(column: string, damage: Damage): readonly SourceRecord[] {
  const all = records.map(({ fields }) => String(fields[column]));
  return records.map(({ at, fields }, i) => ({ at, fields: { ...fields, [column]: damage(all[i] ?? '', i, all) } }));
}

const all = columns.flatMap((column) => Object.keys(damages).map((name) => [column, name] as const));

describe('a column that is damaged at once', () => {
  it.each(drawFrom(all, 3))('%s: %s creates and disables nobody unasked', async (column, name) => {
    expect(await passing(withDamage(column, damages[name] as Damage))).toEqual([]);
  });
});
