/** Returns a function that counts: `1 change`, `12 changes`. */
export function counter(language: string): (count: number, one: string, many: string) => string {
  const numbers = new Intl.NumberFormat(language);
  return (count, one, many) => `${numbers.format(count)} ${count === 1 ? one : many}`;
}

/** Returns the word of a state; a state of a newer version is shown as it is. */
export function wordOf(words: Readonly<Record<string, string>>, state: string): string {
  return Object.hasOwn(words, state) ? (words[state] ?? state) : state;
}

interface ClassWord {
  readonly one: string;
  readonly many: string;
}

/** The words of states, by the state. `batchState` has those that only a batch has: it shares the others with its changes. */
export type Words<Known extends Readonly<Record<Counted, object>>> = {
  readonly [Name in Exclude<keyof Known, Counted>]: Readonly<Record<string, string>>;
} & {
  /** One, and several. */
  readonly [Name in Counted]: Readonly<Record<string, ClassWord>>;
};

/** Classes of changes, and what happened to people. */
type Counted = 'classes' | 'events';

/** Returns the word of a class of changes beside a count: `1 disable`, `2 disables`. */
export function classWord(words: Readonly<Record<string, ClassWord>>, name: string, count = 2): string {
  const { one, many } = (Object.hasOwn(words, name) ? words[name] : undefined) ?? { one: name, many: name };
  return count === 1 ? one : many;
}
