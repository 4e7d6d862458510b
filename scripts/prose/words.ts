/** A word or phrase that our English does not use, and what it uses instead. */
export interface Word {
  readonly pattern: RegExp;
  readonly use: string;
}

/** Private words, and phrases that read as translated. Each was in our texts once. */
export const words: readonly Word[] = [
  {
    pattern: /\b(?:whoever|whomever|nobody|somebody|everybody|anybody)\b/i,
    use: 'the user, the operator, the process',
  },
  { pattern: /\bpeople are told\b/i, use: 'say who gets what: "the channel gets a notice"' },
  { pattern: /\bpatience\b/i, use: 'timeout, retry after' },
  { pattern: /\bfate\b/i, use: 'outcome' },
  {
    pattern: /\b(?:a|the|this|that|each|every|one|next|last|first) looks?\b(?! like\b|-)/i,
    use: 'probe, lookup, read',
  },
  { pattern: /\bis to be had\b/i, use: 'exists, is available' },
  { pattern: /\b(?:is|are) left alone\b/i, use: 'is not changed' },
  { pattern: /\bis meant from\b/i, use: 'is resolved from' },
  { pattern: /\b(?:mend|mends|mended)\b/i, use: 'repair, correct' },
  { pattern: /\bof itself\b/i, use: 'automatically' },
  { pattern: /\bany ?more than\b/i, use: 'state both facts in two sentences' },
];

/** Sentences that begin with an object or a genitive. English puts the subject first. */
export const invertedOpeners =
  /^(?:Of (?!course\b)|Whom |Whose |To whom |From whom |By whom |With how many |Of how many |Not one |Nor |As long as nothing )/;

/** Contractions, which a reader of English as a second language has to unfold. */
export const contraction =
  /\b(?:(?:can|won|don|doesn|didn|isn|aren|wasn|weren|couldn|shouldn|wouldn|hasn|haven|hadn)'t|(?:it|that|there|here|what|let)'s|(?:you|we|they)'(?:re|ll|ve)|I'm)\b/i;

/** British spellings, with the American one. */
export const british: readonly (readonly [RegExp, string])[] = [
  [/\bcolour(?:s|ed)?\b/i, 'color'],
  [/\bbehaviours?\b/i, 'behavior'],
  [/\bfavour(?:s|ite)?\b/i, 'favor'],
  [/\bneighbours?\b/i, 'neighbor'],
  [/\b(?:normal|organ|recogn|author|synchron|serial|initial|summar|optim)is(?:e|es|ed|ing|ation)\b/i, '-ize'],
  [/\bcatalogue\b/i, 'catalog'],
  [/\bgrey\b/i, 'gray'],
  [/\bwhilst\b/i, 'while'],
];
