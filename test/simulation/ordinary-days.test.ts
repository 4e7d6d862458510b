import { expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { drawSeeds } from '../support/drawn.ts';
import { type Office, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';
import { slowly } from '../support/slowness.ts';
import { seededRandom } from './scheduler.ts';

/* Ordinary days of companies: HR changes what it changes, and nothing in it is wrong. Whatever is held then is a false alarm. */

const staffSize = 120;
const daysOfCompany = 30;
const companies = drawSeeds(10, 1);

const firstNames =
  'Ana Bruno Carla Diego Elena Facundo Gina Hugo Inés José Jürgen Lucía María Nadia Oleg Paula Zoë Łukasz'.split(' ');
const lastNames =
  'García Rodríguez Müller Weber Núñez Paz Silva Ortiz Kowalski Petrov Díaz Soto|de la Cruz|van den Berg|O’Neil'
    .split('|')
    .flatMap((some) => (some.startsWith('G') ? some.split(' ') : [some]));
const areas = ['Ops', 'Sales', 'Law', 'R&D', 'N/A', 'None'];
const jobs = ['Analyst', 'Clerk', 'Lead', 'n/a', '-', '', 'Head of R&D'];

type Person = Row &
  Readonly<Record<'id' | 'first' | 'last' | 'mail' | 'area' | 'born' | 'hired' | 'left' | 'status', string>>;

class Company {
  readonly staff: Person[] = [];
  readonly #random: () => number;
  #ids = 1000;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    for (let i = 0; i < staffSize; i += 1) this.staff.push(this.person('2020-01-01'));
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<One>(list: readonly One[]): One {
    return list[Math.floor(this.#random() * list.length)] as One;
  }

  number(most: number): number {
    return Math.floor(this.#random() * most);
  }

  /** A hired person; some have the name of another one, some the day of birth. */
  person(hired: string): Person {
    this.#ids += 1;
    const id = `${this.#ids}`;
    const like = this.staff.length > 0 && this.chance(0.2) ? this.pick(this.staff) : undefined;
    const { first = this.pick(firstNames), last = this.pick(lastNames) } = like ?? {};
    const born = `${1960 + this.number(40)}-${this.pick(['01', '05', '11'])}-${this.pick(['01', '09', '21'])}`;
    const facts = { area: this.pick(areas), job: this.pick(jobs), phone: `+598 99 ${id}`, born, hired };
    return { id, first, last, mail: `u${id}@corp.test`, ...facts, left: '', status: 'active' };
  }

  change(change: (person: Person) => Partial<Person>, isMeant: (person: Person) => boolean = isActive): void {
    const meant = this.staff.filter(isMeant);
    if (meant.length === 0) return;
    const person = this.pick(meant);
    this.staff[this.staff.indexOf(person)] = { ...person, ...change(person) } as Person;
  }

  /** What HR does on a day. */
  live(today: string, later: string): void {
    const works = (one: Person): boolean => isActive(one) && one.hired < today;
    const often: readonly [share: number, act: () => void][] = [
      [0.5, () => this.staff.push(this.person(today))],
      [0.2, () => this.staff.push(this.person(later))],
      [0.5, () => this.change(() => ({ status: 'left', left: today }), works)],
      [0.2, () => this.change(() => ({ left: later }), works)],
      [
        0.2,
        () =>
          this.change(
            () => ({ status: 'active', left: '', hired: today }),
            (one) => one.status === 'left',
          ),
      ],
      [0.2, () => this.change(({ id }) => ({ last: this.pick(lastNames), mail: `new${id}@corp.test` }))],
      [0.2, () => this.change(({ last }) => ({ last: `${last} ${this.pick(lastNames)}` }))],
      [0.2, () => this.change(() => ({ first: this.pick(firstNames) }))],
      [0.2, () => this.change(({ last }) => ({ last: last.toUpperCase() }))],
      [0.2, () => this.change(({ first }) => ({ first: first.normalize('NFD').replace(/\p{M}/gu, '') }))],
      [0.3, () => this.change(() => ({ born: `19${60 + this.number(40)}-02-03` }))],
      [0.3, () => this.change(() => ({ hired: `2019-0${1 + this.number(9)}-01` }))],
      [0.5, () => this.change(() => ({ job: this.pick(jobs) }))],
      [0.5, () => this.change(({ id }) => ({ phone: `+598 98 ${id}` }))],
      [0.1, () => this.move(9)],
      [0.2, () => this.staff.sort((one, other) => one.last.localeCompare(other.last))],
    ];
    for (const [share, act] of often) if (this.chance(share)) act();
  }

  move(people: number): void {
    const area = this.pick(areas);
    for (let i = 0; i < people; i += 1) this.change(() => ({ area }));
  }
}

const inAll = (change: (person: Person, i: number) => Partial<Person>) => (staff: readonly Person[]) =>
  staff.map((person, i): Person => ({ ...person, ...change(person, i) }) as Person);

/** Days that are large on purpose: one approval of what is large, and of nothing else. */
const largeDays: readonly (readonly [string, (staff: readonly Person[]) => readonly Person[], readonly string[]])[] = [
  ['a reorganisation of 40 %', inAll((_, i) => (i % 5 < 2 ? { area: 'Retail' } : {})), ['updates']],
  ['a new domain', inAll(({ mail }) => ({ mail: mail.replace('corp', 'new') })), ['emailChanges', 'updates']],
  ['the end of a season', inAll((_, i) => (i < 30 ? { status: 'left', left: '2026-11-22' } : {})), ['disables']],
  ['the next season', inAll((_, i) => (i < 30 ? { status: 'active', left: '' } : {})), ['enables']],
];

function isActive({ status, left }: Person): boolean {
  return status === 'active' && left === '';
}

async function open(seed: number): Promise<{ readonly office: Office; readonly company: Company }> {
  const company = new Company(seed);
  const facts = { area: 'area', job: 'job', phoneNumber: 'phone', orgEntryDate: 'hired' };
  // Every second company has no birth dates.
  const mapping = { ...plainMapping, ...facts, ...(seed % 2 === 0 ? { birthDate: 'born' } : {}) };
  const lifecycle = { status: 'status', active: ['active'], leaver: ['left'], hireDate: 'hired', leaveDate: 'left' };
  const office = await openOffice({ sandbox: { people: usersOf(company.staff) }, sync: { mapping, lifecycle } });
  await office.writeEmployees(company.staff);
  await office.applyAll();
  return { office, company };
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const dayMs = 86_400_000;

it('on ordinary days, at most one run in a hundred is held or doubted', { timeout: slowly(900_000) }, async () => {
  const alarms: string[] = [];
  let runs = 0;
  for (const seed of companies) {
    const { office, company } = await open(seed);
    for (let i = 1; i <= daysOfCompany; i += 1) {
      office.clock.jump(dayMs);
      const now = office.clock.now();
      company.live(day(now), day(now + 9 * dayMs));
      const { run, findings, holds } = await office.applyRows(company.staff);
      runs += 1;
      const isQuiet = ['succeeded', 'nothing-to-do'].includes(run.outcome ?? '');
      // Cells without a value are told in each run, and stop nobody.
      const doubts = findings.filter(({ code }) => !code.startsWith('cell-'));
      const told = [...holds.map(({ reason }) => reason), ...doubts.map(({ code, message }) => `${code}: ${message}`)];
      if (!isQuiet || told.length > 0) alarms.push(`company ${seed}, day ${i}, ${run.outcome}: ${told.join('; ')}`);
    }
  }
  process.stdout.write(`false alarms: ${alarms.length} of ${runs} runs\n${alarms.map((one) => `  ${one}\n`).join('')}`);
  expect(alarms.length).toBeLessThanOrEqual(Math.ceil(runs / 100));
});

it('a large day needs one approval, of its own class, and the next one none', {
  timeout: slowly(120_000),
}, async () => {
  const { office, company } = await open(2);
  let staff: readonly Person[] = company.staff;
  for (const [name, change, classes] of largeDays) {
    office.clock.jump(2 * dayMs);
    staff = change(staff);
    const { run, holds } = await office.applyRows(staff);
    expect([name, run.outcome, holds.map((hold) => hold.class).toSorted()]).toEqual([name, 'held', classes]);
    await decideRun(office.app, 'approve', run.id, { by: 'ana' });
    const after = await office.apply();
    expect([name, after.run.outcome, after.holds]).toEqual([name, 'succeeded', []]);
    office.clock.jump(2 * dayMs);
    expect([name, (await office.applyRows(staff)).run.outcome]).toEqual([name, 'nothing-to-do']);
  }
});
