import { findProgram, installPackages, tellSkipped } from './programs.ts';

/** The XML Security Library's tool, installed now where that is possible (Debian, root). Undefined, told in one line, where it is not. */
export async function findXmlsec(what: string): Promise<string | undefined> {
  const find = (): Promise<string | undefined> => findProgram('xmlsec1');
  const found = (await find()) ?? ((await installPackages(['xmlsec1'])) ? await find() : undefined);
  if (found === undefined) tellSkipped(`skipped: ${what} needs xmlsec1 (Debian: xmlsec1)`);
  return found;
}
