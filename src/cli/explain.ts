import { docsOfCode, findCode, guessCode, type ListedCode, listedCodes } from '../core/run/codes/code-list.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { AddCommand } from './command.ts';
import { renderCode, renderCodes } from './render-codes.ts';
import type { Shell } from './shell.ts';

export const addExplain: AddCommand = (program, host) => {
  program
    .command('explain')
    .description('explain the code of a finding, an error or an alert: its meaning, its cause, and what to do')
    .argument('[code]', 'the code, such as row-rejected or REAUTH_REQUIRED; without it, all codes are listed')
    .action(host.action(explain));
};

function explain(shell: Shell, word: string | undefined): number {
  if (word === undefined) {
    shell.printJson({ codes: listedCodes.map(codeJson) });
    shell.print(renderCodes(listedCodes, shell.style));
    return 0;
  }
  const found = findCode(word);
  if (found === undefined) {
    const guess = guessCode(word);
    const hint = guess === undefined ? '.' : `; did you mean ${guess}?`;
    const message = `${word} is not a code of Rollcall${hint} Run "${shell.style.command('explain')}" to list all codes`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  shell.printJson(codeJson(found));
  shell.print(renderCode(found, shell.style));
  return 0;
}

function codeJson({ code, kind, meaning, cause, cure, page, rules }: ListedCode) {
  return { code, kind, meaning, cause, cure, docs: docsOfCode(code), more: `docs/${page}`, rules };
}
