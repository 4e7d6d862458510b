import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

/** How text is to look: what the renderers know of the terminal. */
export interface Style {
  readonly colors: Colors;
  /** A command as a person would type it now: `rollcall apply people --config other.yaml`. */
  readonly command: (words: string) => string;
}

export interface StyleFacts {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration file, where the command line named one. */
  readonly config: string | undefined;
}

/** Colours only on a terminal, and not where `NO_COLOR` is set (no-color.org) or the terminal is dumb. */
export function openStyle({ isTerminal, env, config }: StyleFacts): Style {
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  const suffix = config === undefined ? '' : ` --config ${shellWord(config)}`;
  return {
    colors: pc.createColors(isTerminal && !isPlain),
    command: (words) => `rollcall ${words}${suffix}`,
  };
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
