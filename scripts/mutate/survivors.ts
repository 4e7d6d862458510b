/** One mutant after its tests ran. `status` is Stryker's. */
export interface Mutant {
  /** From the project's root, with slashes. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The source line the mutant begins in, trimmed. */
  readonly code: string;
  /** What was replaced by what, on one line and shortened. */
  readonly change: string;
  readonly status: string;
}

/** A survivor that no test has to kill. Found again by its code, not by its line number. */
export interface Accepted {
  readonly file: string;
  readonly code: string;
  readonly change: string;
  readonly reason: string;
}

/** Counts of one file, or of all of them. */
export interface Score {
  readonly file: string;
  /** Mutants that were run, without the accepted ones. */
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
  readonly accepted: number;
  /** Killed mutants in percent, from 0 to 100; 100 where there are none. */
  readonly percent: number;
}

export interface Judgement {
  readonly files: readonly Score[];
  readonly total: Score;
  /** By file and line. */
  readonly survivors: readonly Mutant[];
  /** Entries that match no survivor in the files that were mutated: the code changed, or a test kills it now. */
  readonly stale: readonly Accepted[];
}

const killed = new Set(['Killed', 'Timeout']);
const alive = new Set(['Survived', 'NoCoverage']);

/** Counts mutants and sets the accepted survivors aside. Mutants that could not be run do not count. */
export function judgeSurvivors(mutants: readonly Mutant[], accepted: readonly Accepted[]): Judgement {
  const byKey = new Map(accepted.map((entry) => [keyOf(entry), entry]));
  const names = [...new Set(mutants.map(({ file }) => file))].toSorted();
  const living = mutants.filter(({ status }) => alive.has(status));
  // On a busy machine an accepted survivor may run out of time: that is no proof that a test kills it.
  const matched = new Set(mutants.filter(({ status }) => status !== 'Killed').map(keyOf));
  const survivors = living.filter((mutant) => !byKey.has(keyOf(mutant)));
  const scoreOf = (file: string, belongs: (mutant: Mutant) => boolean): Score => {
    const dead = mutants.filter((mutant) => belongs(mutant) && killed.has(mutant.status)).length;
    const survived = survivors.filter(belongs).length;
    const count = dead + survived;
    return {
      file,
      mutants: count,
      killed: dead,
      survived,
      accepted: living.filter(belongs).length - survived,
      percent: count === 0 ? 100 : (dead * 100) / count,
    };
  };
  return {
    files: names.map((name) => scoreOf(name, ({ file }) => file === name)),
    total: scoreOf('all', () => true),
    survivors: survivors.toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
    stale: accepted.filter((entry) => names.includes(entry.file) && !matched.has(keyOf(entry))),
  };
}

const keyOf = ({ file, code, change }: Pick<Accepted, 'file' | 'code' | 'change'>) => [file, code, change].join('\n');

/** Renders a judgement as Markdown: a table of the files, then what is left to do. */
export function renderJudgement({ files, total, survivors, stale }: Judgement): string {
  const row = ({ file, mutants, killed, survived, accepted, percent }: Score) =>
    `| ${[file, mutants, killed, survived, accepted, `${percent.toFixed(1)} %`].join(' | ')} |`;
  const parts = [
    ['| file | mutants | killed | survived | accepted | score |', '| --- | --: | --: | --: | --: | --: |'],
    files.map(row),
    [row(total)],
    survivors.length === 0 ? [] : ['', 'Survivors:', ''],
    survivors.map(({ file, line, code, change }) => `- ${file}:${line} \`${change}\` in \`${code}\``),
    stale.length === 0 ? [] : ['', 'Accepted survivors that no longer survive; remove the entries:', ''],
    stale.map(({ file, code, change }) => `- ${file} \`${change}\` in \`${code}\``),
  ];
  return `${parts.flat().join('\n')}\n`;
}
