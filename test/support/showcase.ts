import type { AppIo } from '../../src/app/app-io.ts';
import { beginPause } from '../../src/app/syncs.ts';
import type { ServerSettings } from '../../src/server/settings.ts';
import { areas, type HeldCrowd, holdCrowd, idOfPerson, nameOfPerson, offices } from './held-crowd.ts';
import { openOffice, plainMapping, type Row, usersOf } from './office.ts';

/** A deployment with something to see on each page. */
export interface Showcase {
  readonly app: AppIo;
  readonly crowd: HeldCrowd;
  /** A run with findings, failed people and several files. */
  readonly run: string;
  readonly person: string;
  readonly now: number;
  readonly tokens: ServerSettings['tokens'];
}

export const showcaseToken = 'token-of-the-showcase-administrator';

/** Employees with names, areas and offices; `patch` changes some by position. */
function staff(count: number, patch: Readonly<Record<number, Row>> = {}): Row[] {
  return Array.from({ length: count }, (_, i) => {
    const [first = '', last = ''] = nameOfPerson(i).split(' ');
    return {
      ...{ id: idOfPerson(i), first, last, mail: `person${i + 1}@example.com` },
      ...{ area: areas[i % areas.length] ?? '', office: offices[i % offices.length] ?? '' },
      partner: ['Iván Roldán', 'Marta Sosa'][i % 2] ?? '',
      ...patch[i],
      status: patch[i]?.status ?? 'active',
    };
  });
}

export async function openShowcase(people = 60, heldPeople = 240): Promise<Showcase> {
  const mapping = { ...plainMapping, area: 'area', office: 'office' };
  const office = await openOffice({
    sandbox: { people: usersOf(staff(people).slice(8)) },
    sync: { mapping, hrOwner: 'partner' },
    syncs: {
      contractors: {
        connection: 'acme',
        source: { kind: 'csv', path: './contractors.csv' },
        policy: 'sync',
        mapping,
        schedule: { cron: '0 6 * * *', timezone: 'America/Bogota' },
        lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
      },
      interns: {
        connection: 'acme',
        source: { kind: 'csv', path: './interns.csv' },
        policy: 'sync',
        mapping,
        lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
      },
    },
  });
  await office.writeEmployees(staff(people));
  await office.applyAll();
  const moved = Object.fromEntries(
    Array.from({ length: 9 }, (_, i): [number, Row] => [i * 3, { area: areas[(i + 2) % areas.length] ?? '' }]),
  );
  const odd = {
    ...moved,
    4: { mail: 'not an address' },
    11: { mail: 'person13@example.com' },
    17: { mail: 'also not an address' },
    20: { status: 'on leave' },
    23: { status: 'left' },
    26: { status: 'left' },
  };
  await office.writeEmployees(staff(people, odd));
  office.setFaults(`file:fail-if=${idOfPerson(6)}`);
  const { run } = await office.apply();
  office.setFaults();
  await office.apply({ sync: 'contractors' }).catch(() => {});
  await office.apply({ sync: 'contractors' }).catch(() => {});
  const crowd = await holdCrowd(office.engine.io.store, heldPeople, office.clock.now());
  await beginPause(office.app, 'interns', { by: 'ops' });
  return {
    app: office.app,
    crowd,
    run: run.id,
    person: idOfPerson(4),
    now: office.clock.now() + 240_000,
    tokens: [{ name: 'ana@example.com', role: 'admin', token: showcaseToken }],
  };
}

/** The pages by name, with the path of each. */
export function showcaseRoutes({ crowd, run, person }: Showcase): Readonly<Record<string, string>> {
  return {
    overview: '/',
    runs: '/runs',
    run: `/runs/${run}`,
    changes: `/runs/${run}/changes`,
    recent: '/changes',
    report: '/reports?kind=joiners&from=2026-01-01',
    holds: '/holds',
    leavers: '/leavers',
    hold: `/holds/${crowd.hold}?by=value:office`,
    sync: '/syncs/people',
    'set-up': '/syncs/people/set-up',
    accounts: '/syncs/people/accounts',
    corrections: '/syncs/people/data-quality',
    people: '/people',
    person: `/people/people/${person}`,
    alerts: '/alerts',
    connections: '/connections',
    audit: '/audit',
  };
}
