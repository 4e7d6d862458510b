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

const asIs: Form = { says: '', apply: (text) => text, wrap: (term) => term };

type Pairs = readonly { readonly ours: string; readonly theirs: string }[];

/** Returns the form that makes most identifications of the source those of the platform, the simplest of several. */
export function chooseForm(pairs: Pairs): { readonly form: Form; readonly equal: number } {
  let best = { form: asIs, equal: -1 };
  for (const form of formsFor(pairs)) {
    const equal = pairs.filter(({ ours, theirs }) => form.apply(ours) === theirs).length;
    if (equal > best.equal) best = { form, equal };
    if (best.equal === pairs.length) break;
  }
  return best;
}

/** Returns all forms, those with fewer steps first. */
function formsFor(pairs: Pairs): readonly Form[] {
  const marksIn = (texts: readonly string[]) => new Set(texts.join('').match(/[^\p{L}\p{N}]/gu));
  const known = marksIn(pairs.map(({ theirs }) => theirs));
  const marks = [...marksIn(pairs.map(({ ours }) => ours))].filter((mark) => !known.has(mark));
  const width = Math.max(0, ...pairs.map(({ theirs }) => theirs.length));
  const steps: readonly Form[] = [
    // Without marks the class is empty, and matches nothing.
    replacement(`[${marks.map((mark) => `\\${mark}`).join('')}]`, `without ${marks.map(nameOf).join(' ')}`),
    replacement('^0+(?=.)', 'without leading zeros'),
    {
      says: `with zeros to ${width} characters`,
      apply: (text) => text.padStart(width, '0'),
      wrap: (term) => `$pad(${term}, -${width}, '0')`,
    },
    { says: 'in capitals', apply: (text) => text.toUpperCase(), wrap: (term) => `$uppercase(${term})` },
    { says: 'in small letters', apply: (text) => text.toLowerCase(), wrap: (term) => `$lowercase(${term})` },
    ...insertions(pairs[0]?.theirs ?? ''),
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

const nameOf = (mark: string): string => (mark === ' ' ? 'blanks' : mark);

function replacement(pattern: string, says: string, by = ''): Form {
  const expression = new RegExp(pattern, 'g');
  const wrap = (term: string): string => `$replace(${term}, /${pattern}/, '${by}')`;
  return { says, apply: (text) => text.replace(expression, by), wrap };
}

/** Writes marks at the places where an identification of the platform has them, counted from one end: `10.003.607-K`. */
function insertions(theirs: string): readonly Form[] {
  const bare = replacement('[\\W_]', '');
  const parts = theirs.split(/([^\p{L}\p{N}]+)/u);
  const by = parts.map((part, i) => (i % 2 === 1 ? part : `$${i / 2 + 1}`)).join('');
  return [0, parts.length - 1].map((open) => {
    const groups = parts.map((part, i) => (i % 2 === 1 ? '' : i === open ? '(.+)' : `(.{${part.length}})`));
    const { apply, wrap } = replacement(`^${groups.join('')}$`, '', by);
    const says = `written as ${by.replace(/\$\d+/g, '…')}`;
    return { says, apply: (text) => apply(bare.apply(text)), wrap: (term) => wrap(bare.wrap(term)) };
  });
}
