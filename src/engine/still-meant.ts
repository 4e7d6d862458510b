import type { ChangeKind } from '../core/change.ts';
import { RollcallError } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import type { Census, Lookup } from '../ports/platform.ts';
import type { Batch, ChangeMark, PlannedChange } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { leaveOutUncertain } from './plan-age.ts';
import { scanFor, singleReadLimit } from './scan-for.ts';

/**
 * Before delivery is left out what an old plan must not do (see `plan-age`) and whom another sync has made its own
 * meanwhile. Every create is looked up again, by read and by search: whoever is there by now, or is there in one of the
 * two only, is not created; and every remove. So are the updates of a file of few: in a larger one each would double the
 * platform's work.
 */
export async function stillMeant(
  context: RunContext,
  batch: Batch,
  changes: readonly PlannedChange[],
  io: EngineIo,
): Promise<PlannedChange[]> {
  const planned = changes.filter(({ state }) => state === 'planned');
  if (batch.kind === 'outbox') return planned;
  const certain = leaveOutUncertain(planned, batch, context.owned.run, io.clock.now());
  const marks: ChangeMark[] = [...certain.marks];
  const findings: Finding[] = [...certain.findings];
  const leaveOut = ({ identification }: PlannedChange, { code, reason }: Trouble, message: string): void => {
    marks.push({ identification, state: 'failed', reason });
    findings.push({ code, identification, message });
  };

  const { name, connection } = context.sync.settings;
  const known = await io.store.ledger.getMany(
    connection,
    certain.kept.map(({ identification }) => identification),
  );
  const ours = certain.kept.filter((change) => {
    const entry = known.get(change.identification);
    if (entry === undefined || entry.removed !== undefined || entry.owner === name || !io.syncs.has(entry.owner))
      return true;
    const reason = `belongs to sync ${entry.owner} by now: not touched by ${name}`;
    leaveOut(change, { code: 'owned-by-other-sync', reason }, reason);
    return false;
  });

  const isFewInFile = batch.kind === 'csv' && changes.length <= singleReadLimit;
  const objection = ({ kind }: PlannedChange) => (kind === 'update' && !isFewInFile ? undefined : objections[kind]);
  const lookups = await lookUp(
    ours.filter((change) => objection(change) !== undefined).map(({ identification }) => identification),
    context,
    io,
  );
  const kept = ours.filter((change) => {
    const lookup = lookups.get(change.identification);
    const trouble = lookup === undefined ? undefined : objection(change)?.(lookup);
    if (trouble !== undefined) leaveOut(change, trouble, `${change.kind} not sent: ${trouble.reason}`);
    return trouble === undefined;
  });
  if (marks.length > 0) {
    await io.store.plans.setStates(context.owned, marks);
    await io.store.runs.addFindings(context.owned, findings);
  }
  return kept;
}

/** Reads each user, and searches for those whose read fails: of many by one list of everybody. */
async function lookUp(
  names: readonly string[],
  { sync, signal }: RunContext,
  io: EngineIo,
): Promise<ReadonlyMap<string, Lookup>> {
  const { platform } = sync;
  const lookups = new Map<string, Lookup>();
  if (names.length === 0) return lookups;
  io.progress({ step: 'looking-up', users: 0, total: names.length });
  const census = await takeCensus(names, { sync, signal });
  const look = async (name: string): Promise<void> => {
    lookups.set(name, await platform.find(name, signal, census));
    io.progress({ step: 'looking-up', users: lookups.size, total: names.length });
  };
  await Promise.all(names.map(look));
  return lookups;
}

/** Undefined where a search for each costs fewer calls, or the directory does not hold still for a scan. */
async function takeCensus(
  names: readonly string[],
  { sync, signal }: Pick<RunContext, 'sync' | 'signal'>,
): Promise<Census | undefined> {
  try {
    const scanned = await scanFor(names, sync.platform, signal);
    return scanned && new Map(names.map((name) => [name, scanned.get(name)?.length ?? 0]));
  } catch (error) {
    if (error instanceof RollcallError && error.code === 'SCAN_INCOMPLETE') return undefined;
    throw error;
  }
}

type Trouble = Pick<Finding, 'code'> & { readonly reason: string };

function whyNotCreate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === false) return undefined;
  const already = 'the user is on the platform by now; the next run will look again';
  return { code: 'lookup-disagrees', reason: lookup.found === 'unclear' ? lookup.reason : already };
}

/** A row with U would enable again whom somebody has disabled since the plan was made (contract: no other way is shown). */
function whyNotUpdate(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found) return { code: 'lookup-disagrees', reason: 'the platform has no such user any more' };
  if (lookup.user.enabled) return undefined;
  return { code: 'foreign-disable', reason: 'somebody disabled the account since the plan was made' };
}

/** There is no way back from a removal: whoever has been enabled again since is kept. */
function whyNotRemove(lookup: Lookup): Trouble | undefined {
  if (lookup.found === 'unclear') return { code: 'lookup-disagrees', reason: lookup.reason };
  if (!lookup.found || !lookup.user.enabled) return undefined;
  return { code: 'lookup-disagrees', reason: 'somebody enabled the account since the plan was made' };
}

/** What a last look at the user may say against a change. */
const objections: Partial<Record<ChangeKind, (lookup: Lookup) => Trouble | undefined>> = {
  create: whyNotCreate,
  update: whyNotUpdate,
  remove: whyNotRemove,
};
