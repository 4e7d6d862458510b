/** One form of an identification, made of another: `10003607-K` of `10.003.607-k`. `wrap` returns it in JSONata. */
export interface Form {
  /** What is done to the text, for messages. Empty: nothing. */
  readonly says: string;
  apply(text: string): string;
  wrap(term: string): string;
}

/** Returns an identification without what programs and people write in several ways: case, marks, leading zeros. */
export function bareName(text: string): string {
  const bare = text.replace(/[^\p{L}\p{N}]+/gu, '').toUpperCase();
  return bare.replace(/^0+(?=.)/, '');
}

type Pairs = readonly { readonly ours: string; readonly theirs: string }[];

/** Returns the form that makes most identifications of the source those of the platform, the simplest of several. */
export function chooseForm(pairs: Pairs): { readonly form: Form; readonly equal: number } {
  return formsFor(pairs)
    .map((form) => ({ form, equal: pairs.filter(({ ours, theirs }) => form.apply(ours) === theirs).length }))
    .reduce((best, one) => (one.equal > best.equal ? one : best));
}

/** Returns all forms, those with fewer steps first. */
function formsFor(pairs: Pairs): readonly Form[] {
  const marksIn = (texts: readonly string[]) => new Set(texts.join('').match(/[^\p{L}\p{N}]/gu));
  const known = marksIn(pairs.map(({ theirs }) => theirs));
  const marks = [...marksIn(pairs.map(({ ours }) => ours))].filter((mark) => !known.has(mark));
  const width = Math.max(0, ...pairs.map(({ theirs }) => theirs.length));
  const steps: readonly Form[] = [
    ...(marks.length === 0
      ? []
      : [
          replacement(
            `[${marks.map((mark) => `\\${mark}`).join('')}]`,
            `without ${marks.map((mark) => (mark === ' ' ? 'blanks' : mark)).join(' ')}`,
          ),
        ]),
    replacement('^0+(?=.)', 'without leading zeros'),
    {
      says: `with zeros to ${width} characters`,
      apply: (text) => text.padStart(width, '0'),
      wrap: (term) => `$pad(${term}, -${width}, '0')`,
    },
    { says: 'in capitals', apply: (text) => text.toUpperCase(), wrap: (term) => `$uppercase(${term})` },
    { says: 'in small letters', apply: (text) => text.toLowerCase(), wrap: (term) => `$lowercase(${term})` },
  ];
  const chains = Array.from({ length: 2 ** steps.length }, (_, mask) => steps.filter((_, i) => (mask >> i) % 2 === 1));
  return chains
    .toSorted((a, b) => a.length - b.length)
    .map((chain) => ({
      says: chain.map(({ says }) => says).join(', '),
      apply: (text) => chain.reduce((so, { apply }) => apply(so), text),
      wrap: (term) => chain.reduce((so, { wrap }) => wrap(so), term),
    }));
}

function replacement(pattern: string, says: string): Form {
  const expression = new RegExp(pattern, 'g');
  return { says, apply: (text) => text.replace(expression, ''), wrap: (term) => `$replace(${term}, /${pattern}/, '')` };
}
