import { givenWords } from '../../core/guard/approvals.ts';
import { ageOf, countOf, formatCount, formatDuration, formatInstant, formatNumber } from '../../core/run/formats.ts';
import { waitingWords } from '../../core/run/waiting.ts';
import { olderCopy, type Run } from '../../ports/store.ts';
import type { LeaversSummary } from '../../views/leavers.ts';
import {
  type Overview,
  peopleSentence,
  type SyncHealth,
  type SyncOverview,
  stateWords,
  type WaitingWork,
} from '../../views/overview.ts';
import type { RunWork } from '../../views/runs.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';
import { renderMissing } from './counts.ts';

/** One line per sync, and below it what the operator can do. */
export function renderStatus({ at, syncs, work }: Overview, style: Style): string {
  const head = ['sync', 'health', 'state', 'needs approval', 'fresh', 'next run'];
  const rows = syncs.map((sync) => [
    style.colors.bold(sync.name),
    healthWords(sync.health, style),
    activityWords(sync.activity),
    heldCountWords(sync.holds, style),
    sync.freshAt === undefined ? 'never' : `${formatDuration(at - sync.freshAt)} ago`,
    nextWords(sync),
  ]);
  const hints = syncs.flatMap((sync) => hintOf(sync, style));
  const hasSlots = syncs.some(({ nextSlotAt }) => nextSlotAt !== undefined);
  const deployment = hasSlots ? deploymentHint(work, at, style) : [];
  const said = syncs.flatMap((sync) => {
    const sentence = peopleSentence(sync);
    return sentence === undefined ? [] : [`${sync.name}: ${sentence}`];
  });
  return [renderTable([head, ...rows]), ...said, ...hints, ...deployment].join('\n');
}

/** Says `people: 2 leavers due today, 0 late, slowest this month 14 min`. */
export function leaverWords({ sync, dueToday, late, slowestMs }: LeaversSummary): string {
  const slowest = slowestMs === undefined ? '' : `, slowest this month ${ageOf(slowestMs)}`;
  return `${sync}: ${countOf(dueToday, 'leaver')} due today, ${late} late${slowest}`;
}

function healthWords({ state, failures, since }: SyncHealth, { colors }: Style): string {
  const word = stateWords[state];
  switch (state) {
    case 'succeeding':
      return colors.green(word);
    case 'failing':
      return colors.red(
        `${word} (${formatNumber(failures)}×, since ${since === undefined ? '?' : formatInstant(since)})`,
      );
    case 'stale':
      return colors.red(`${word} (last success ${since === undefined ? 'never' : formatInstant(since)})`);
    default:
      return colors.yellow(word);
  }
}

/** Returns the phase of a run in words. A newer version may have others. */
export function phaseWords(phase: string): string {
  return phase === 'proving' ? 'reading back' : cleanLine(phase);
}

function activityWords({ kind, run }: SyncOverview['activity']): string {
  if (run === undefined) return stateWords[kind];
  const { phase, changes, etaMs, interrupted } = run;
  const done = changes === undefined ? '' : ` ${formatNumber(changes.done)}/${formatNumber(changes.total)}`;
  if (interrupted !== undefined) return `Interrupted (${phaseWords(phase)}${done})`;
  const word = phaseWords(phase);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${done}${etaMs === undefined ? '' : `, about ${formatDuration(etaMs)} left`}`;
}

function heldCountWords({ changes, expired, reads, approvals }: WaitingWork, { colors }: Style): string {
  const words = [
    ...(changes === 0 ? [] : [formatCount(changes, 'change')]),
    ...approvals.map((one) => cleanLine(givenWords(one.changes, one.of, one.by))),
    ...(expired.changes === 0 ? [] : [`${formatNumber(expired.changes)} expired`]),
    ...(reads === 0 ? [] : ['the source looks wrong']),
  ];
  return words.length === 0 ? '–' : colors.yellow(words.join(', '));
}

function nextWords({ schedule, nextSlotAt, health }: SyncOverview): string {
  if (health.state === 'paused') {
    const end = health.until === undefined ? '' : ` until ${formatInstant(health.until)}`;
    return `Paused by ${cleanLine(health.by ?? '?')}${end}`;
  }
  return nextSlotAt === undefined ? (schedule ?? 'On request') : formatInstant(nextSlotAt);
}

function hintOf(
  { name, health, holds, lastRun, frozenUntil, refusedUntil, activity: { run } }: SyncOverview,
  style: Style,
): string[] {
  const missing = lastRun?.plan && renderMissing(lastRun.plan);
  const hints = missing === undefined ? [] : [`${name}: ${missing}`];
  if (frozenUntil !== undefined) {
    hints.push(`${name}: frozen until ${formatInstant(frozenUntil)}, so no account is disabled or removed before`);
  }
  if (refusedUntil !== undefined) {
    const until = formatInstant(refusedUntil);
    const why = `the schedule waits until ${until}, because the HR system refused the credentials`;
    hints.push(`${name}: ${why}. To try now:  ${style.command(`resync ${name}`)}`);
  }
  if (run?.interrupted !== undefined) hints.push(`${name}: ${interruptedWords(run.interrupted, name, style)}`);
  if (run?.waiting !== undefined) hints.push(`${name}: ${cleanLine(waitingWords(run.waiting))}`);
  else if (run?.problem !== undefined) hints.push(`${name}: ${problemWords(run.problem)}`);
  if (health.failures > 0 && health.run !== undefined) {
    const why = health.reason === undefined ? '' : `: ${cleanLine(health.reason)}`;
    hints.push(`${name} ${health.outcome}${why} (${style.command(`show ${health.run}`)})`);
  }
  if (holds.changes + holds.reads > 0)
    hints.push(`${name}: ${style.command(`holds --sync ${name}`)} lists the waiting changes`);
  return hints;
}

/** Returns that no process works on a run in progress, since when, and how to continue it. */
export function interruptedWords(
  { at, isQueued }: NonNullable<RunWork['interrupted']>,
  sync: string,
  { command }: Style,
): string {
  const since =
    at === undefined ? 'no process works on the run' : `no process has worked on the run since ${formatInstant(at)}`;
  // A worker takes the run from the queue: "apply" beside it would be a second process for it.
  if (isQueued) return `interrupted: ${since}. It waits in the queue for a worker:  ${command('start --role worker')}`;
  return `interrupted: ${since}. To continue it:  ${command(`apply ${sync}`)}  or  ${command('start')}`;
}

/** Returns the last temporary problem of a run in progress. */
export function problemWords({ at, reason }: NonNullable<Run['problem']>): string {
  return `last problem, at ${formatInstant(at)}: ${cleanLine(reason)}`;
}

/** Returns why no run starts, whatever the deployment does. */
export function storeFaultWords(fault: string, { command }: Style): string {
  const help = fault === olderCopy ? `: ${command('explain store-older')}` : '';
  return `No run starts and no token is presented, because ${fault}${help}`;
}

/** A deployment shows itself every 5 seconds. Later than this (ms), it may have ended without notice. */
const seenWithinMs = 8000;

/** Returns why the next slots may pass without a run. */
function deploymentHint(
  { isDeploymentRunning, deploymentSeenAt, workers }: Overview['work'],
  now: number,
  { command }: Style,
): string[] {
  const seen = seenWords(deploymentSeenAt);
  if (!isDeploymentRunning && workers === 'alive') {
    return [
      `Workers are alive, but no scheduler is${seen}, so no schedule or request starts a run: ${command('start --role scheduler')}`,
    ];
  }
  if (!isDeploymentRunning) {
    return [`No deployment is running${seen}, so no schedule starts a run: ${command('start')}`];
  }
  if (deploymentSeenAt === undefined || now - deploymentSeenAt <= seenWithinMs) return [];
  return [`The deployment may have ended${seen}. If it has, no schedule starts a run: ${command('start')}`];
}

/** ` (last seen TIME)`; empty when that is not known. */
export function seenWords(at: number | undefined): string {
  return at === undefined ? '' : ` (last seen ${formatInstant(at)})`;
}
