import pc from 'picocolors';
import { shellWord } from '../core/run/shell-word.ts';

export type Colors = ReturnType<typeof pc.createColors>;

/** Colors and commands for the renderers. */
export interface Style {
  readonly colors: Colors;
  /** Returns a command as the operator would type it: `rollcall apply people --config other.yaml`. */
  readonly command: (words: string) => string;
}

export interface StyleFacts {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration file, if the command line named one. */
  readonly config: string | undefined;
}

/** Returns colors for a terminal only, and none where `NO_COLOR` is set (no-color.org) or the terminal is dumb. */
export function openStyle({ isTerminal, env, config }: StyleFacts): Style {
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  const suffix = config === undefined ? '' : ` --config ${shellWord(config)}`;
  return {
    colors: pc.createColors(isTerminal && !isPlain),
    command: (words) => `rollcall ${words}${suffix}`,
  };
}
