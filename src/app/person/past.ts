import type { PastStanding } from '../../core/plan/roster.ts';
import { ruleWords } from '../../core/run/codes/code-list.ts';
import { notFound } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { Past } from '../../ports/reads.ts';
import type { PlannedChange, Run } from '../../ports/store.ts';
import { spanOn } from '../../run/clock-span.ts';
import type { EngineIo } from '../../run/engine-io.ts';
import type { PastAnswer, PastNote } from '../../views/people.ts';
import type { AppIo } from '../app-io.ts';
import { asStored, findRun } from '../find-named.ts';
import { done } from './answer.ts';

/** What a full read said of a person who got no change and no finding. */
const saidWords: Readonly<Record<PastStanding, string>> = {
  active: ruleWords('active-equal'),
  leaver: ruleWords('leaver-settled'),
  'out-of-scope': ruleWords('out-of-scope'),
  other: 'the employee starts later',
  undecided: ruleWords('unusable'),
  absent: 'no record of the read had this identification',
};

/** Which run is meant: the run itself, or the last one that began before an instant (epoch ms). */
export interface PastQuestion {
  readonly run?: string;
  readonly before?: number;
}

const runsAtOnce = 50;

/**
 * Tells from stored facts alone what a run decided about a person, and why. Reads neither the source nor the platform.
 * Throws `NOT_FOUND` for a run of another sync.
 */
export async function answerPast(
  app: Pick<AppIo, 'engine'>,
  of: string,
  identification: string,
  asked: PastQuestion,
): Promise<PastAnswer> {
  const { engine: io, sync } = asStored(app.engine, of);
  const { name } = sync.settings;
  const past = await io.store.rosters.past(name, identification);
  const run =
    asked.run === undefined
      ? await lastRun(name, { ...asked, identification, past }, io)
      : await findRun(asked.run, io.store);
  if (run === undefined) return { identification, answer: 'Not known: the store has no earlier run about the person' };
  if (run.sync !== name) throw notFound(`there is no run ${asked.run} of sync ${of}`);
  const { id, startedAt: at, outcome, read } = run;
  const facts = { identification, run: id, at, outcome, configuration: read?.fingerprint };
  if (at < io.clock.now() - spanOn(io.clock, io.retention.runs)) {
    return { ...facts, answer: 'Not known: the details of the run were deleted after the retention time' };
  }
  const changes = await io.store.plans.getMany(id, [identification], 'all');
  const [change] = changes;
  if (change !== undefined) {
    const { rule, kind, hash } = change;
    return { ...facts, rule, change: kind, hash, answer: changes.map(changeWords).join('. ') };
  }
  if (run.endedAt === undefined) return { ...facts, answer: 'Not known: the run has not ended' };
  // Without a count of the users, no plan could be made. A run without changes keeps no such facts.
  const isPlanned = run.digest !== undefined && run.plan?.platformUsers !== undefined;
  if (outcome !== 'nothing-to-do' && !isPlanned) {
    return { ...facts, answer: `Not decided: ${run.reason ?? `the run was ${outcome}`}` };
  }
  const told = toldIn(past, run);
  const [first] = told;
  if (first !== undefined) {
    const why = told.map(({ finding }) => finding.message).join('; ');
    return { ...facts, code: first.finding.code, since: first.at, answer: `Nothing, because ${why}` };
  }
  const said = past.standings.findLast((one) => one.at <= at);
  if (said === undefined) return { ...facts, answer: 'Nothing: the store has no earlier accepted full read' };
  return { ...facts, says: said.says, since: said.at, answer: `Nothing, because ${saidWords[said.says]}` };
}

/** Returns the last run from before the instant that decided about the person. A delta shows only who changed. */
async function lastRun(
  sync: string,
  { before, identification, past }: PastQuestion & { readonly identification: string; readonly past: Past },
  { store }: Pick<EngineIo, 'store'>,
): Promise<Run | undefined> {
  for (let after: Run | undefined; ; ) {
    const page = await store.runs.list({ sync, limit: runsAtOnce, ...given({ after, until: before }) });
    for (const run of page) {
      if (run.scope.kind === 'users' && !run.scope.identifications.includes(identification)) continue;
      const isPartial = run.read?.kind === 'delta' && toldIn(past, run).length === 0;
      if (!isPartial || (await store.plans.getMany(run.id, [identification], 'all')).length > 0) return run;
    }
    if (page.length < runsAtOnce) return undefined;
    after = page.at(-1);
  }
}

function toldIn({ findings }: Past, { id, startedAt }: Run): Past['findings'] {
  return findings.filter(({ run, at, untilAt }) => run === id || (at <= startedAt && startedAt <= untilAt));
}

function changeWords({ kind, state, stateReason, reason }: PlannedChange): string {
  const name = done[kind];
  if (state === 'applied') return `${name[0]?.toUpperCase()}${name.slice(1)}: ${reason}`;
  const why = stateReason === undefined ? '' : `: ${stateReason}`;
  return `To be ${name} (${state}${why}): ${reason}`;
}

/** What full reads and runs said of a person, newest first, but for the changes. */
export function tellPast({ standings, findings }: Past): readonly PastNote[] {
  const said = standings.map(({ at, run, says }) => ({ at, run, text: saidWords[says] }));
  const told = findings.map(({ at, run, finding }) => ({ at, run, text: finding.message }));
  return [...said, ...told].toSorted((a, b) => b.at - a.at);
}
