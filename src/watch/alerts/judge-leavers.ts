import type { JudgedLeaver } from '../../core/plan/leavers.ts';
import { countOf, firstNames, formatMinute } from '../../core/run/formats.ts';
import type { LeaverTarget } from '../../core/run/settings.ts';
import type { AlertProblem } from '../../ports/alerts.ts';

/** The stated leavers of a sync, as alerts see them. */
export interface WatchedLeavers {
  readonly target: LeaverTarget;
  read(): Promise<readonly JudgedLeaver[]>;
  /** Returns the end of the freeze in which the instant is, if the freeze is longer than the target; else undefined. */
  frozenUntil(now: number): number | undefined;
}

/** Returns whether a notice is due of people whose clocks began at the instant. */
export function isAtRisk(clockAt: number, { withinMs, warnMs }: LeaverTarget, now: number): boolean {
  return now >= clockAt + withinMs - warnMs;
}

interface LeaverView {
  readonly sync: { readonly name: string; readonly leavers?: WatchedLeavers };
  readonly now: number;
  readonly leaversAtRisk: number;
}

const shownCauses = 5;

/** Returns whether accounts of stated leavers miss the target soon, or a freeze makes them miss it. */
export async function judgeLeavers({
  sync,
  now,
  leaversAtRisk,
}: LeaverView): Promise<AlertProblem | 'well' | undefined> {
  const { name, leavers } = sync;
  if (leavers === undefined) return undefined;
  const frozenUntil = leavers.frozenUntil(now);
  if (leaversAtRisk === 0 && frozenUntil === undefined) return 'well';
  const open = (await leavers.read()).filter(({ state }) => state === 'counting' || state === 'late');
  const some = open.filter(({ clockAt }) => isAtRisk(clockAt, leavers.target, now));
  if (some.length === 0 && frozenUntil === undefined) return 'well';
  const late = some.filter(({ state }) => state === 'late');
  const first = Math.min(...some.map(({ dueAt }) => dueAt));
  const causes = [...Map.groupBy(some, ({ wait }) => `${wait?.cause} ${wait?.why}`).values()];
  const who = countOf(some.length, 'leaver still has', 'leavers still have');
  const target = late.length > 0 ? `the target is missed for ${late.length}` : `the target ends ${formatMinute(first)}`;
  return {
    topic: 'leavers',
    code: 'leavers-due',
    severity: late.some(({ wait }) => wait?.cause !== 'freeze') ? 'critical' : 'warning',
    // One notice, whatever blocks them: that changes with each run.
    key: 'leavers',
    figures: [
      ['Leavers due', some.length],
      ['Late', late.length],
    ],
    summary:
      some.length > 0
        ? `${who} an enabled account, and ${target}`
        : `A freeze until ${formatMinute(frozenUntil ?? now)} is longer than the target for leavers`,
    details: causes.slice(0, shownCauses).map((people) => {
      const names = firstNames(people.map(({ identification }) => identification));
      return `${names}: ${people[0]?.wait?.why}`;
    }),
    unaffected: undefined,
    action: [
      ...causes.slice(0, shownCauses).flatMap((people) => {
        const wait = people[0]?.wait;
        return wait === undefined
          ? []
          : [`${wait.cure(people.map(({ identification }) => identification))}  # ${wait.cause}`];
      }),
      `rollcall leavers ${name}  # who, and what blocks it`,
    ].join('\n'),
    count: some.length,
  };
}
