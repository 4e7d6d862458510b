/** One form of an identification, made of another: `10003607-K` of `10.003.607-k`. */
export interface Form {
  /** What is done to the text, for messages. Empty: nothing. */
  readonly says: string;
  apply(text: string): string;
  /** Returns the JSONata expression that does the same. */
  wrap(term: string): string;
}

/** Returns an identification without what programs and people write in several ways: case, marks, leading zeros. */
export function bareName(text: string): string {
  const bare = text.replace(/[^\p{L}\p{N}]+/gu, '').toUpperCase();
  return bare.replace(/^0+(?=.)/, '');
}

/**
 * Returns the form that makes most identifications of the source equal to those of the platform, the simplest one of
 * several. `pairs`: the same person on both sides.
 */
export function chooseForm(pairs: readonly { readonly ours: string; readonly theirs: string }[]) {
  const equalIn = ({ apply }: Form): number => pairs.filter(({ ours, theirs }) => apply(ours) === theirs).length;
  return formsFor(pairs)
    .map((form) => ({ form, equal: equalIn(form) }))
    .reduce((best, one) => (one.equal > best.equal ? one : best));
}

/** Returns all forms, those with fewer steps first. */
function formsFor(pairs: readonly { readonly ours: string; readonly theirs: string }[]): readonly Form[] {
  const theirs = pairs.map((pair) => pair.theirs);
  const marksOf = (texts: readonly string[]) => new Set(texts.join('').match(/[^\p{L}\p{N}]/gu));
  const known = marksOf(theirs);
  const marks = [...marksOf(pairs.map(({ ours }) => ours))].filter((one) => !known.has(one));
  const steps: readonly (readonly Form[])[] = [
    [removal(marks.map((mark) => mark.replace(/[^\s]/, '\\$&').replace(/\s/, '\\s')).join('')), removal('\\W_')],
    [replacement(/^0+(?=.)/, '', 'without leading zeros'), padding(theirs)],
    [step('in capitals', 'uppercase', (text) => text.toUpperCase())],
    [step('in small letters', 'lowercase', (text) => text.toLowerCase())],
    insertion(theirs),
  ];
  const forms = steps.reduce<readonly (readonly Form[])[]>(
    (so, choices) => so.flatMap((chain) => [chain, ...choices.map((choice) => [...chain, choice])]),
    [[]],
  );
  return forms
    .toSorted((a, b) => a.length - b.length)
    .map((chain) => ({
      says: chain.map(({ says }) => says).join(', '),
      apply: (text) => chain.reduce((so, { apply }) => apply(so), text),
      wrap: (term) => chain.reduce((so, { wrap }) => wrap(so), term),
    }));
}

function step(says: string, name: string, apply: (text: string) => string): Form {
  return { says, apply, wrap: (term) => `$${name}(${term})` };
}

function replacement(pattern: RegExp, by: string, says: string): Form {
  return {
    ...{ says, apply: (text) => text.replace(pattern, by) },
    wrap: (term) => `$replace(${term}, /${pattern.source}/, '${by}')`,
  };
}

function removal(marks: string): Form {
  const says = marks === '\\W_' ? 'without marks' : `without ${marks.replaceAll('\\s', 'blank ').replaceAll('\\', '')}`;
  return replacement(new RegExp(`[${marks === '' ? '\\s' : marks}]`, 'g'), '', says.trim());
}

/** Zeros before numbers, where the platform's are all of one length. */
function padding(theirs: readonly string[]): Form {
  const width = Math.max(0, ...theirs.map(({ length }) => length));
  return {
    says: `with zeros to ${width} characters`,
    apply: (text) => text.padStart(width, '0'),
    wrap: (term) => `$pad(${term}, -${width}, '0')`,
  };
}

/** Marks that the platform has at the same places, counted from one end: `10.003.607-K`, `E-17`. */
function insertion(theirs: readonly string[]): readonly Form[] {
  const [first = [], ...others] = theirs.map((text) => text.split(/([^\p{L}\p{N}]+)/u));
  const isSame = (from: number, to: number): boolean =>
    others.every(
      (parts) =>
        parts.length === first.length &&
        parts.every((part, place) =>
          place % 2 === 1 ? part === first[place] : place < from || place > to || part.length === first[place]?.length,
        ),
    );
  const open = isSame(1, first.length) ? 0 : isSame(0, first.length - 2) ? first.length - 1 : undefined;
  if (first.length < 3 || open === undefined) return [];
  const groups = first.map((part, place) => (place % 2 === 1 ? '' : place === open ? '(.+)' : `(.{${part.length}})`));
  const by = first.map((part, place) => (place % 2 === 1 ? part : `$${place / 2 + 1}`)).join('');
  return [replacement(new RegExp(`^${groups.join('')}$`), by, `written as ${by.replace(/\$\d/g, '…')}`)];
}
