import { readFileSync } from 'node:fs';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** One small change of the code, and where it is. */
export interface CodeChange {
  readonly id: string;
  /** Absolute. */
  readonly file: string;
  /** The source line in which it begins, counted from 1. */
  readonly line: number;
  /** That line, trimmed. */
  readonly code: string;
  /** What is replaced by what, on one line and shortened. */
  readonly change: string;
}

export interface Instrumented {
  /** The code of each file, by absolute path, with every change in it behind a switch. */
  readonly code: ReadonlyMap<string, string>;
  readonly changes: readonly CodeChange[];
}

/** A replacement longer than this is cut in the list: whole blocks are replaced too. */
const changeLength = 120;
const silent = () => {};
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
};

/** Puts every mutant that Stryker knows into the files, behind switches. Texts are not changed: tests quote them. */
export async function instrument(files: readonly string[]): Promise<Instrumented> {
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const { files: written, mutants } = await new Instrumenter(logger).instrument(
    [...texts].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, ignorers: [], excludedMutations: ['StringLiteral'] },
  );
  return {
    code: new Map(written.map(({ name, content }) => [name, content])),
    changes: mutants.flatMap(({ id, fileName, location: { start, end }, replacement, status }) => {
      if (status === 'Ignored') return [];
      // The instrumenter counts lines from 0.
      const lines = (texts.get(fileName) ?? '').split('\n');
      const taken = lines.slice(start.line, end.line + 1);
      taken[taken.length - 1] = taken.at(-1)?.slice(0, end.column) ?? '';
      taken[0] = taken[0]?.slice(start.column) ?? '';
      const change = `${oneLine(taken.join('\n'))} → ${oneLine(replacement)}`;
      return [{ id, file: fileName, line: start.line + 1, code: lines[start.line]?.trim() ?? '', change }];
    }),
  };
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= changeLength ? line : `${line.slice(0, changeLength)}…`;
}
