import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { RollcallError } from '../core/run/errors.ts';
import type { ApiOperation, ApiRequest, ApiTarget } from '../ports/api.ts';
import type { AddCommand, CommandHost } from './command.ts';
import { renderApiAnswer, renderApiList } from './render-api.ts';
import { fromHere, type Shell } from './shell.ts';
import { cleanLine } from './terminal-text.ts';
import { printDeclined } from './verdict.ts';

interface CallOptions {
  readonly connection?: string;
  readonly body?: string;
  readonly file?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** Adds `rollcall api`: one command per operation of the platform's API, from the table of operations. */
export const addApi: AddCommand = (program, host) => {
  const operations = host.apiOperations;
  const listOperations = host.action((shell) => printList(shell, operations));
  const api = program
    .command('api')
    .description("call any operation of the platform's API on a connection")
    .option('--list', 'list every operation with its parameters')
    .action((options: { list?: boolean }, command: Command) =>
      options.list === true ? listOperations(options, command) : command.help({ error: true }),
    );
  for (const part of new Set(operations.map((operation) => operation.part))) {
    const group = api.command(part).description(`operations on ${part}`);
    for (const operation of operations) if (operation.part === part) addOperation(group, operation, host);
  }
  api
    .command('tokens', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(
      host.action(() => {
        const message = 'the store keeps the tokens of a connection: use rollcall token refresh or token revoke';
        throw new RollcallError(message, { code: 'USAGE' });
      }),
    );
};

function addOperation(group: Command, operation: ApiOperation, host: CommandHost): void {
  const command = group
    .command(operation.verb)
    .description(`${operation.summary} (${operation.method} ${operation.path})`)
    .option('--connection <name>', 'the connection; required when there are several');
  const options = operation.parameters.map(({ name, place, description, otherwise }) => {
    const hint = otherwise === undefined ? '' : ` (the platform's default: ${otherwise})`;
    const option = new Option(`--${name} <value>`, `${description}${hint}`);
    command.addOption(option.makeOptionMandatory(place === 'path'));
    return { name, key: option.attributeName() };
  });
  if (operation.body === 'json') command.requiredOption('--body <json>', 'JSON, or @ and the name of a JSON file');
  if (operation.body === 'file') command.requiredOption('--file <path>', 'the CSV file to send');
  if (operation.isList) command.option('--all', 'read all pages of the list');
  if (operation.isWrite) command.option('--yes', 'skip the confirmation');
  command.action(
    host.action((shell, given: CallOptions & Readonly<Record<string, unknown>>) => {
      const parameters = Object.fromEntries(
        options.flatMap(({ name, key }) => (typeof given[key] === 'string' ? [[name, given[key]]] : [])),
      );
      return call(shell, operation, parameters, given);
    }),
  );
}

function printList(shell: Shell, operations: readonly ApiOperation[]): number {
  shell.printJson({ operations });
  shell.print(renderApiList(operations, shell.style));
  return 0;
}

async function call(
  shell: Shell,
  operation: ApiOperation,
  parameters: ApiRequest['parameters'],
  { connection, body, file, all = false, yes = false }: CallOptions,
): Promise<number> {
  const request: ApiRequest = {
    ...(connection === undefined ? {} : { connection }),
    operation: operation.id,
    parameters,
    ...(body === undefined ? {} : { body: await readBody(shell, body) }),
    ...(file === undefined ? {} : { file: { path: fromHere(shell.io, file), name: basename(file) } }),
    all,
  };
  const answer = await shell.withApp({}, async (app) => {
    if (operation.isWrite && !yes) {
      const question = await questionOf(operation, request, await app.callTarget(request, shell.signal));
      if (!(await shell.confirm(question, yes))) return undefined;
    }
    return app.call(request, shell.signal);
  });
  if (answer === undefined) return printDeclined(shell);
  shell.printJson({ ...answer, body: answer.body ?? null });
  shell.print(renderApiAnswer(answer, operation, shell.style));
  return 0;
}

/** Full provisioning is the one call that can disable all users, so its confirmation says so. */
async function questionOf(
  { part, verb }: ApiOperation,
  { file }: ApiRequest,
  { connection, baseUrl, now }: ApiTarget,
): Promise<string> {
  const what = `${part} ${verb} on ${connection} (${baseUrl})${now === undefined ? '.' : `: ${cleanLine(now)}.`}`;
  if (file === undefined) return `${what} Send it?`;
  const [header = ''] = (await readText(file.path)).split(/\r?\n/, 1);
  const isPartial = /^\uFEFF?"?command"?\s*([,;|\t]|$)/i.test(header);
  if (isPartial) return `${what} Send the file?`;
  return `${what} The file has no command column: every user who is not in it is DISABLED. Send it?`;
}

async function readBody(shell: Shell, text: string): Promise<string> {
  const isFile = text.startsWith('@');
  const json = isFile ? await readText(fromHere(shell.io, text.slice(1))) : text;
  try {
    JSON.parse(json);
    return json;
  } catch {
    const where = isFile ? `the file ${text.slice(1)}` : '--body';
    throw new RollcallError(`${where} is not valid JSON`, { code: 'USAGE' });
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RollcallError(`the file ${path} cannot be read`, { code: 'USAGE', cause: error });
  }
}
