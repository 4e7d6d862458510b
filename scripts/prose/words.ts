/** A word or phrase that our English does not use, and what it uses instead. */
export interface Word {
  readonly pattern: RegExp;
  readonly use: string;
  /** Comments and the page about the architecture may use it: the code has it as a name. */
  readonly isNameInCode?: true;
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
    pattern: /\b(?:a|the|this|that|each|every|one|next|last|first) looks?\b(?! like\b| alike\b|-)/i,
    use: 'probe, lookup, read',
  },
  { pattern: /\bis to be had\b/i, use: 'exists, is available' },
  { pattern: /\b(?:is|are) left alone\b/i, use: 'is not changed' },
  { pattern: /\bis meant from\b/i, use: 'is resolved from' },
  { pattern: /\b(?:mend|mends|mended)\b/i, use: 'repair, correct' },
  { pattern: /\bof itself\b/i, use: 'automatically' },
  { pattern: /\bany ?more than\b/i, use: 'state both facts in two sentences' },
  { pattern: /\bby (?:itself|themselves)\b/i, use: 'automatically, alone' },
  { pattern: /\banew\b/i, use: 'again' },
  { pattern: /\bseldom\b/i, use: 'rarely, at growing intervals' },
  { pattern: /\b(?:not|no|nobody|none|nothing|never) [^.;:]*\bany more\b|\bno more\b(?! than\b)/i, use: 'no longer' },
  { pattern: /\b(?:seems?|is|are) ill\b/i, use: 'fails, has a fault' },
  { pattern: /\b(?:is|are|was|were) told\b/i, use: 'is reported, gets a notice' },
  { pattern: /\b(?:is|are|was|were) asked for\b/i, use: 'is requested' },
  { pattern: /\b(?:is|are|was|stands?) in the way\b/i, use: 'blocks' },
  { pattern: /\bgoe?s? on\b/i, use: 'continues' },
  {
    pattern: /\b(?:store|redis|database|platform|it) (?:is|are|was) (?:away|back)\b/i,
    use: 'unavailable, available again',
  },
  { pattern: /\b(?:well again|all is well)\b/i, use: 'recovered, healthy' },
  {
    pattern: /\b(?:left undone|its work is not done|still so|if that is meant)\b/i,
    use: 'say what happened or what to do',
  },
  { pattern: /\bin vain\b/i, use: 'without success' },
  { pattern: /\bnothing is done to\b/i, use: 'is not changed' },
  { pattern: /\bnothing (?:more )?is required\b/i, use: 'no action is required' },
  { pattern: /\bif it (?:lasts|repeats)\b/i, use: 'if the problem persists, if this happens again' },
  { pattern: /\bproves nothing about absence\b/i, use: 'cannot prove that a person is missing' },
  { pattern: /\b(?:gave|gives) too\b/i, use: 'returned' },
  { pattern: /\bleave --\S+ out\b/i, use: 'omit' },
  { pattern: /\bfirst[- ]sight\b/i, use: 'first write, when first seen', isNameInCode: true },
  { pattern: /\bstandings?\b/i, use: 'status', isNameInCode: true },
  { pattern: /\bwaves?\b/i, use: 'read-back', isNameInCode: true },
  { pattern: /(?<!-)\bdoubt(?:s|ed|ful)?\b/i, use: 'suspicious read, looks wrong', isNameInCode: true },
  { pattern: /(?<!-)\bsettled\b/i, use: 'ended', isNameInCode: true },
  { pattern: /\bproving\b/i, use: 'reading back', isNameInCode: true },
];

/** Sentences that begin with an object or a genitive. English puts the subject first. */
export const invertedOpeners =
  /^(?:Of (?!course\b)|Only (?:then|when|if|after|where) [^,.]*,? (?:is|are|does|do|can|may) |Never (?:is|are|does|do|can|may) |Whom |Whose |To whom |From whom |By whom |With how many |Of how many |Not one |Nor |As long as nothing )/;

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
  [/\bmisspelt\b/i, 'misspelled'],
  // The outcome of a run is spelled `cancelled`, in code and before a colon.
  [/(?<!`)\b[Cc]ancell(?:ed|ing)\b(?!:)/, 'canceled'],
];
