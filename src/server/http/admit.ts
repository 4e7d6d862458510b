import type { AppIo } from '../../app/app-io.ts';
import { findRun } from '../../app/find-named.ts';
import { highestRole, obstacleTo, seesPeople, syncsFor } from '../../core/guard/access.ts';
import { notFound, type RollcallError } from '../../core/run/errors.ts';
import { editedPreview, type Needs } from '../needs.ts';
import type { Caller } from './access.ts';
import { Refusal } from './problem.ts';

/** What the caller may see of an answer. */
export interface Sight {
  /** The syncs of a list; undefined: all. */
  readonly syncs: readonly string[] | undefined;
  readonly seesPeople: boolean;
}

export const fullSight: Sight = { syncs: undefined, seesPeople: true };

/** The parts of a request that say what it is about. */
interface Asked {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Throws 403 unless the caller may do this in some sync. Before the content is read. */
export function admitRole(caller: Caller, needs: Needs, app: AppIo): void {
  const names = app.syncs.map((sync) => sync.name);
  if (syncsFor(caller.access, needs, names)?.length === 0) throw refused(caller, needs, names);
}

/** Throws 403 for what the caller may not do, and 404 for what does not exist for the caller. */
export async function admit(caller: Caller, table: Needs, asked: Asked, app: AppIo): Promise<Sight> {
  const { access } = caller;
  const needs = table.of === 'preview' ? await needsOfPreview(table, asked, app) : table;
  const names = app.syncs.map((sync) => sync.name);
  const syncs = syncsFor(access, needs, names);
  if (syncs === undefined) return { syncs, seesPeople: seesPeople(access) };
  const about = await syncsOf(needs.of, asked, app);
  if (about === 'deployment') throw refused(caller, needs, []);
  for (const sync of about ?? []) {
    const obstacle = obstacleTo(access, needs, sync);
    if (obstacle === 'sync') throw unknown(needs.of);
    if (obstacle !== undefined) throw refused(caller, needs, [sync]);
  }
  return { syncs, seesPeople: (about ?? syncs).every((sync) => seesPeople(access, sync)) };
}

/** Returns what reading a preview needs: of one with an edited mapping, what making it does. */
async function needsOfPreview(table: Needs, { params }: Asked, { engine }: AppIo): Promise<Needs> {
  const { id = '' } = params as Readonly<Record<string, string | undefined>>;
  const isEdited = (await engine.store.previews.get(id))?.mapping !== undefined;
  return isEdited ? { ...table, ...editedPreview } : table;
}

/** Equal for what does not exist and for what does not exist for the caller. */
function unknown(of: Needs['of']): RollcallError {
  return outOfScope(of === 'list' || of === 'body' ? 'sync' : of === 'subject' ? 'sync or connection' : of);
}

/** Returns the 404 for something of another sync. */
export function outOfScope(what: string): RollcallError {
  return notFound(`there is no such ${what}, or it is outside of your scope`);
}

function refused({ name, access }: Caller, { role, people }: Needs, syncs: readonly string[]): Refusal {
  const hasRole = syncs.some((sync) => obstacleTo(access, { role, people: 'none' }, sync) === undefined);
  if (hasRole && people === 'needed') {
    return new Refusal(403, 'PEOPLE', `this shows personal data, and ${name} does not see people`);
  }
  const where = access.every((grant) => grant.syncs === undefined) ? '' : ' here';
  return new Refusal(403, 'ROLE', `this requires the role ${role}${where}; ${name} is a ${highestRole(access)}`);
}

/** Returns the syncs that the request is about; undefined: it lists all. Throws 404 for what is not known. */
async function syncsOf(of: Needs['of'], { params, query, body }: Asked, app: AppIo) {
  const { id = '', name = '', sync = '' } = params as Readonly<Record<string, string | undefined>>;
  const { store } = app.engine;
  const one = (found: string | undefined): readonly string[] => {
    if (found === undefined) throw unknown(of);
    return [found];
  };
  const ofConnection = () => app.syncs.filter(({ connection }) => connection === name).map((known) => known.name);
  switch (of) {
    case 'deployment':
      return of;
    case 'list': {
      const { sync: only } = query as { readonly sync?: string };
      return only === undefined ? undefined : [only];
    }
    case 'sync':
      return [sync];
    case 'body':
      return [(body as { readonly sync: string }).sync];
    case 'run':
      return one((await findRun(id, store).catch(() => undefined))?.sync);
    case 'hold':
      return one((await store.reports.hold(id))?.sync);
    case 'preview':
      return one((await store.previews.get(id))?.sync ?? (await store.reports.shownPlan(id)));
    case 'request':
      return one((await store.triggers.get(id))?.trigger.sync);
    case 'connection':
    case 'subject': {
      if (of === 'subject' && name === 'deployment') return 'deployment';
      const named = of === 'subject' ? app.syncs.filter((known) => known.name === name) : [];
      const found = [...named.map((known) => known.name), ...ofConnection()];
      if (found.length === 0) throw unknown(of);
      return found;
    }
  }
}
