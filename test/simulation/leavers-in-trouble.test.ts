import { expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { listLeavers } from '../../src/app/person/leavers.ts';
import { startVendor } from '../fakes/hris/vendor-server.ts';
import { drawSeeds } from '../support/drawn.ts';
import { openOffice, type Row, usersOf } from '../support/office.ts';
import { seededRandom } from './scheduler.ts';

/*
 * Companies in which something is always broken: a page of the HR system, its total, or the search of the platform.
 * Whoever left is disabled by the first run that reads the row, and nobody who works there ever is. A rehire has two
 * records: the one that says *left* may stand on a page that is read, and the other on one that is not.
 */

const pageSize = 10;
const days = 4;
const dayMs = 86_400_000;

interface Trouble {
  /** The page that answers 500, from 1. */
  readonly page?: number;
  readonly totalOff?: number;
  readonly search?: string;
  /** What the first upload meets. */
  readonly upload?: string;
}

const troubles: readonly Trouble[] = [
  {},
  { page: 1 },
  { page: 2 },
  { page: 3 },
  { totalOff: 1 },
  { search: 'search:status=503' },
  { search: 'search:missing-page' },
  { search: 'search:html' },
  { search: 'search:status=503', upload: 'upload:status=503@1' },
  { page: 3, upload: 'file:fail@1' },
];

class Company {
  readonly records: Row[];
  readonly #random: () => number;
  trouble: Trouble = {};

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.records = Array.from({ length: 25 + this.number(20) }, (_, i) => this.person(`E${i + 1}`));
  }

  number(most: number): number {
    return Math.floor(this.#random() * most);
  }

  pick<One>(list: readonly One[]): One {
    return list[this.number(list.length)] as One;
  }

  person(id: string): Row {
    const name = { first: `Ana${id}`, last: `Paz${id}`, mail: `${id.toLowerCase()}@corp.test` };
    return { key: id, id, ...name, hired: '2020-01-01', status: 'active' };
  }

  works(id: string): boolean {
    return this.records.some((one) => one.id === id && one.status === 'active');
  }

  /** Sets the status of a record that is alone for its person. */
  set(status: string, from: string): string | undefined {
    const alone = this.records.filter((one) => this.records.filter(({ id }) => id === one.id).length === 1);
    const meant = alone.filter((one) => one.status === from);
    if (meant.length === 0) return undefined;
    const one = this.pick(meant);
    this.records[this.records.indexOf(one)] = { ...one, status };
    return one.id;
  }

  /** Hires a leaver again: the new record comes last. */
  hireAgain(): void {
    const left = this.records.filter((one) => one.status === 'left' && !this.works(one.id ?? ''));
    if (left.length > 0)
      this.records.push({
        ...this.pick(left),
        key: `again ${this.records.length}`,
        status: 'active',
        hired: '2026-01-01',
      });
  }

  answer(url: URL): { status: number; body: string } {
    const id = url.searchParams.get('id');
    const page = Number(url.searchParams.get('page') ?? '1');
    const from = (page - 1) * pageSize;
    const all = id === null ? this.records : this.records.filter((one) => one.id === id);
    const total = all.length + (id === null ? (this.trouble.totalOff ?? 0) : 0);
    const status = id === null && page === this.trouble.page ? 500 : 200;
    return { status, body: JSON.stringify({ data: all.slice(from, from + pageSize), total }) };
  }

  /** Whether some run of this day reads a record of the person that says *left*. */
  isRead(id: string): boolean {
    const { page = Number.POSITIVE_INFINITY } = this.trouble;
    return this.records.some((one, i) => one.id === id && one.status === 'left' && i < (page - 1) * pageSize);
  }
}

it.each(drawSeeds(500, 6))('company %i: nobody who left keeps access because of other trouble', async (seed) => {
  const company = new Company(seed);
  const { url } = await startVendor({ isData: () => false, answer: ({ url: asked }) => company.answer(asked) });
  const source = {
    ...{
      kind: 'rest',
      baseUrl: url,
      path: '/people',
      items: 'data',
      key: 'key',
      total: 'total',
      auth: { kind: 'none' },
    },
    paging: { style: 'page', size: pageSize },
    point: { id: { query: { id: '{value}' } } },
  };
  const office = await openOffice({
    sandbox: { people: usersOf(company.records) },
    sync: {
      source,
      prefer: { latest: 'hired' },
      guards: { disables: { absolute: 2, percent: 0 } },
      missing: { afterReads: 1, minAge: '0s' },
    },
  });
  const { users } = office.sandbox.state;
  const enabled = (): readonly string[] =>
    [...users.values()].filter((one) => one.enabled).map((one) => one.identification);
  expect((await office.apply()).run.isSuccess).toBe(true);
  for (let day = 1; day <= days; day += 1) {
    office.clock.jump(dayMs);
    company.trouble = company.pick(troubles);
    const { search, upload } = company.trouble;
    office.setFaults(...[search, upload].filter((one) => one !== undefined));
    for (let n = company.number(4); n > 0; n -= 1) company.set('left', 'active');
    if (company.number(3) === 0) company.hireAgain();
    const before = enabled();
    await office.apply();
    if (upload !== undefined) {
      // A refused file goes again at the next slot, and one without an answer after `settle.unknownAfter`.
      office.clock.jump(3_600_000);
      await office.apply();
    }
    const late = (): readonly string[] => enabled().filter((id) => !company.works(id) && company.isRead(id));
    const cures: string[] = [];
    // Whoever is late waits for an approval, or for what the command of the cause frees.
    for (let tries = 0; tries < 10 && late().length > 0; tries += 1) {
      office.clock.jump(3_600_000);
      const { leavers } = await listLeavers(office.app, { sync: 'people' });
      const waiting = leavers.filter(
        ({ identification, wait }) => wait !== undefined && late().includes(identification),
      );
      const [first] = waiting;
      const cure =
        first?.wait?.cure(
          waiting.flatMap((one) => (one.wait?.cause === first.wait?.cause ? [one.identification] : [])),
        ) ?? 'none';
      cures.push(`${first?.wait?.why}: ${cure}`);
      const [, , verb, ...words] =
        /^(rollcall) (\S+) (.*)$/.exec(cure)?.flatMap((one, i) => (i < 3 ? [one] : one.split(' '))) ?? [];
      if (verb === 'approve') await decideRun(office.app, 'approve', words[0] ?? '', { by: 'ops' });
      await office.apply(verb === 'resync' ? { users: words.filter((word) => /^E\d/.test(word)) } : {});
    }
    const now = enabled();
    const wrong = before.filter((id) => company.works(id) && !now.includes(id));
    expect({ day, trouble: company.trouble, wrong, late: late(), cures }).toMatchObject({ wrong: [], late: [] });
  }
});
