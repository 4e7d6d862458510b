import { formatCount } from './amounts.ts';
import type { FaultList, StartedSandbox } from './cli-io.ts';
import { renderTable } from './render-table.ts';
import type { Style } from './style.ts';

/** Renders the address of the sandbox and a configuration for it. Its tokens are random and give access to nothing else. */
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

/** Renders the accepted values of `--fault` and `--quirk`. */
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
