import { clockSpan, longestAge } from '../core/guard/clock-jump.ts';
import type { PlanRules } from '../core/plan/plan.ts';
import type { Finding } from '../core/run/finding.ts';
import { lengthOf } from '../core/run/formats.ts';
import type { Clock } from '../ports/runtime.ts';

const dayMs = 86_400_000;

/**
 * Returns how far the clock moved while the last `ms` of real time passed. Compare the age of anything stored with it,
 * wherever the age allows or ends something: jumps of the clock are no age.
 */
export function spanOn(clock: Clock, ms: number): number {
  return clockSpan(ms, clock.now(), clock.jumps?.() ?? []);
}

/** Returns how old something may be in real time (ms). Compare it with the age above which it is void. */
export function ageOn(clock: Clock, since: number): number {
  return longestAge(since, clock.now(), clock.jumps?.() ?? []);
}

/** Returns the rules with waits by the clock that last as long as the configured ones in real time. */
export function rulesOn<Rules extends PlanRules>(clock: Clock, rules: Rules): Rules {
  const { missing, remove } = rules;
  return {
    ...rules,
    missing: missing === 'never' ? missing : { ...missing, minAgeMs: spanOn(clock, missing.minAgeMs) },
    remove: remove === 'never' ? remove : { ...remove, afterMs: spanOn(clock, remove.afterMs) },
  };
}

/** Returns a finding for each jump of the last day. */
export function jumpFindings(clock: Clock): readonly Finding[] {
  const now = clock.now();
  const recent = (clock.jumps?.() ?? []).filter(({ after }) => after <= now && after > now - dayMs);
  return recent.map(({ before, after }) => ({
    code: 'clock-jumped',
    message: `the clock of the store jumped ${lengthOf(after - before)} ${after > before ? 'forward' : 'back'} at ${new Date(after).toISOString()}. Decisions that depend on an age ignore the jump. Check its time service`,
  }));
}
