import { formatCount } from './amounts.ts';
import type { FaultList, StartedSandbox } from './cli-io.ts';
import { renderTable } from './render-table.ts';
import type { Style } from './style.ts';

/** Where the sandbox is, with a piece of configuration that reaches it. Its tokens are made up and open nothing else. */
export function renderSandbox(sandbox: Omit<StartedSandbox, 'close'>, users: number, { colors }: Style): string {
  const { url, applicationToken, accessToken, refreshToken } = sandbox;
  return `${colors.bold(url)} is a platform with ${formatCount(users, 'synthetic user')}; Ctrl-C ends it.
Read and try its API in a browser: ${url}/docs (the same for programs: ${url}/openapi.json)

application token  ${applicationToken}
access token       ${accessToken}
refresh token      ${refreshToken}

For rollcall.yaml, in place of the connections that \`rollcall init\` wrote:

connections:
  acme:
    baseUrl: ${url}
    accessToken: ${accessToken}`;
}

/** What `--fault` and `--quirk` take. */
export function renderFaultList({ grammar, operations, kinds, quirks }: FaultList, { colors }: Style): string {
  const faults = kinds.map(({ kind, argument, summary }) => [
    argument === 'none' ? kind : `${kind}=${argument}`,
    summary,
  ]);
  return [
    `${colors.bold('--fault')}  ${grammar}`,
    renderTable(faults, '  '),
    `${colors.bold('operations')}  ${operations.join(', ')}`,
    `${colors.bold('--quirk')} name=value, with the defaults:`,
    renderTable(
      quirks.map(({ name, value }) => [name, value]),
      '  ',
    ),
  ].join('\n\n');
}
