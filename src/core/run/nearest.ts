/**
 * Returns the item of `allowed` that `word` most likely means, for example `baseUrl` for `url`; undefined when none is
 * close.
 */
export function nearest(word: string, allowed: readonly string[]): string | undefined {
  const wanted = fold(word);
  const ranked = allowed
    .map((name) => ({ name, distance: editDistance(wanted, fold(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  // At most a third of the letters may differ: `polcy` matches policy, `foo` matches nothing.
  return best !== undefined &&
    best.distance < wanted.length &&
    best.distance <= Math.floor(Math.max(wanted.length, 3) / 3)
    ? best.name
    : onlyOne(allowed.filter((name) => endsAlike(wanted, fold(name))));
}

/** Returns the name of `known` that differs from `word` only by case, blanks, `-` and `_`. */
export function sameName(word: string, known: readonly string[]): string | undefined {
  return known.find((name) => fold(name) === fold(word));
}

/** Returns a sentence such as `is not a known key; did you mean cron? Known here: cron, timezone`. */
export function unknownKeySentence(key: string, known: readonly string[]): string {
  if (known.length === 0) return 'is not a known key';
  const guess = nearest(key, known);
  const hint = guess === undefined ? '; known' : `; did you mean ${guess}? Known`;
  return `is not a known key${hint} here: ${known.join(', ')}`;
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Returns whether one name is the last word of the other: `url` and `baseUrl`. */
function endsAlike(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.endsWith(b) || b.endsWith(a));
}

/** Folds a name, so that `a_b`, `a-b` and `aB` are equal. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** Returns the Levenshtein distance, where swapped neighbors count as one edit (optimal string alignment). */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next.push(best);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
