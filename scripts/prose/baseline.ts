import type { Offence } from './lint-prose.ts';

/** How often each file may break each rule: what was there when the rule came. It may only shrink. */
export type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Verdict {
  /** Offences of files that have more than the baseline allows. */
  readonly tooMany: readonly Offence[];
  /** Entries of the baseline that are larger than needed. */
  readonly tooLarge: readonly string[];
}

export function compareWithBaseline(found: readonly Offence[], baseline: Baseline): Verdict {
  const actual = countOffences(found);
  const tooMany = found.filter(({ path, rule }) => (actual[path]?.[rule] ?? 0) > (baseline[path]?.[rule] ?? 0));
  const tooLarge = Object.entries(baseline).flatMap(([path, rules]) =>
    Object.entries(rules)
      .filter(([rule, count]) => count > (actual[path]?.[rule] ?? 0))
      .map(([rule, count]) => `${path}: ${rule} ${count}, now ${actual[path]?.[rule] ?? 0}`),
  );
  return { tooMany, tooLarge };
}

/** Returns the baseline without what is not needed any more. Allows nothing new. */
export function shrink(found: readonly Offence[], baseline: Baseline): Baseline {
  const actual = countOffences(found);
  const entries = Object.entries(baseline).map(([path, rules]) => {
    const left = Object.entries(rules).map(
      ([rule, count]) => [rule, Math.min(count, actual[path]?.[rule] ?? 0)] as const,
    );
    return [path, Object.fromEntries(left.filter(([, count]) => count > 0))] as const;
  });
  return Object.fromEntries(entries.filter(([, rules]) => Object.keys(rules).length > 0));
}

export function countOffences(found: readonly Offence[]): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { path, rule } of found) {
    const rules = counts[path] ?? {};
    counts[path] = { ...rules, [rule]: (rules[rule] ?? 0) + 1 };
  }
  return counts;
}
