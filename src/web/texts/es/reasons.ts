import english from '../en/words.json' with { type: 'json' };
import { classWord } from '../plural.ts';
import { people } from './people.ts';
import reasons from './reasons.json' with { type: 'json' };
import words from './words.json' with { type: 'json' };

/** A sentence of the server with a gap for each of its values, and the same in Spanish, with the gaps in equal order. */
type Phrase = readonly [english: string, spanish: string];

const classes: readonly Phrase[] = Object.keys(words.classes).flatMap((name) => [
  [`{} ${classWord(english.classes, name)}`, `{} ${classWord(words.classes, name)}`],
  [`1 ${classWord(english.classes, name, 1)}`, `1 ${classWord(words.classes, name, 1)}`],
]);

/** The reasons that the server gives, the most specific first. A sentence that is not here stays in English. */
const phrases: readonly Phrase[] = [
  ...Object.entries(people.standings).map(([standing, inSpanish]): Phrase => {
    return [`HR has the person (${standing})`, `RR. HH. tiene a la persona (${inSpanish.toLowerCase()})`];
  }),
  ...Object.values(reasons).flatMap((group) => Object.entries(group)),
  ...classes,
];

const gap = '{}';

const patterns = phrases.map(([source, target]) => {
  const parts = source.split(gap).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return { pattern: new RegExp(`^${parts.join('(.+?)')}$`, 's'), target };
});

/** What joins sentences in one reason. The longest parts are tried first. */
const joints = ['. ', '; ', ', '] as const;

/** Returns a reason of the server in Spanish. The parts that are not known stay as they are. */
export function reasonInSpanish(text: string): string {
  for (const { pattern, target } of patterns) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const values = found.slice(1).map(reasonInSpanish);
    return target.split(gap).reduce((done, part, i) => `${done}${values[i - 1] ?? ''}${part}`);
  }
  const joint = joints.find((one) => text.includes(one));
  return joint === undefined ? text : text.split(joint).map(reasonInSpanish).join(joint);
}
