import type { CodeEntry } from './code-entry.ts';

/** Errors that end a command, a run or a request to the HTTP API. */
export const errorEntries = {
  CONFIG_INVALID: {
    meaning: 'The configuration has problems. Nothing was started.',
    cause: 'A key is unknown, a value is not allowed, or a variable or file that a key names is missing.',
    cure: [
      'Correct every problem that the message lists. Each one has a file, a line and a key.',
      'Run `rollcall check` to test the configuration again.',
    ],
    page: 'configuration.md',
  },
  USAGE: {
    meaning: 'The command line or the request is wrong. Nothing was done.',
    cause: 'An option or argument is missing, unknown, or excluded by another one.',
    cure: ['Read the message, which names the option.', 'Run the command with `--help` to list its options.'],
    page: 'cli.md',
  },
  SOURCE_UNAVAILABLE: {
    meaning: 'The HR system could not be read.',
    cause:
      'The file is missing, the HR system did not answer, or the fields that the configuration names do not exist.',
    cure: [
      'Run `rollcall check` to test the source alone.',
      'Run `rollcall source try SYNC` to see its records and fields.',
      'When the source works again, run `rollcall resync SYNC`.',
    ],
    page: 'sources/README.md',
  },
  SOURCE_REFUSED: {
    meaning: 'The HR system rejected the credentials, or they lack a permission.',
    cause: 'The credentials are wrong or expired, or a permission is missing. Repeated attempts can lock the account.',
    cure: [
      'Correct the credentials or permissions that the message names.',
      'Run `rollcall source try SYNC` once to test them, then `rollcall resync SYNC`.',
    ],
    page: 'sources/README.md',
  },
  SCAN_INCOMPLETE: {
    meaning: "The platform's users could not be read completely, so no plan was made.",
    cause:
      'The directory changed during the read, pages were missing or repeated, or the platform ignored a parameter.',
    cure: [
      'Wait for the next run, or run `rollcall resync SYNC` when the directory changes less.',
      'If this happens again, run `rollcall check CONNECTION` and compare the dialect settings with the platform.',
    ],
    page: 'platform-assumptions.md#reading-users',
  },
  PLATFORM_UNREACHABLE: {
    meaning: 'The platform could not be reached, or did not answer in time.',
    cause: 'The address is wrong, the network or proxy blocks the connection, or the platform is slow or down.',
    cure: [
      'Run `rollcall check CONNECTION`.',
      'Check `baseUrl`, the proxy and the certificates.',
      'If the platform is only slow, raise `limits.timeout`.',
    ],
    page: 'operations.md#proxies-and-private-authorities',
  },
  PLATFORM_ANSWER_INVALID: {
    meaning: 'The platform sent an answer that does not match its API contract.',
    cause: 'A proxy or sign-in page answered instead, or the platform differs from the contract.',
    cure: [
      'Run `rollcall learn CONNECTION` to find out what the platform does where the contract is silent.',
      'Repeat the command with `--raw` to see the answer. The answer may contain personal data.',
    ],
    page: 'platform-assumptions.md',
  },
  PLATFORM_REFUSED: {
    meaning: 'The platform rejected the call. The same call will be rejected again.',
    cause: 'A value is not allowed, or a dialect setting does not fit this platform.',
    cure: [
      'Run `rollcall show RUN --failed` to see the affected people and reasons.',
      'Run `rollcall why SYNC PERSON` to see the values that are sent.',
    ],
    page: 'platform-assumptions.md',
  },
  PLATFORM_UNAUTHORIZED: {
    meaning: 'The platform rejected the token (401).',
    cause:
      'The token was revoked or has expired, or it belongs to another community. A new token is tried again for a minute first.',
    cure: ['Run `rollcall token status CONNECTION`, and follow its advice.', 'Run `rollcall check CONNECTION`.'],
    page: 'tokens.md',
  },
  PLATFORM_FORBIDDEN: {
    meaning: 'The platform knows the token and denies the operation (403).',
    cause:
      "The token's account lacks a permission, the operation requires the other kind of token, or a firewall refuses a text.",
    cure: [
      'If single people or files are refused, ask which rule of the platform or its firewall refuses them.',
      'Otherwise grant the permission on the platform, and run `rollcall check CONNECTION`.',
    ],
    page: 'platform-assumptions.md#tokens-and-limits',
  },
  PLATFORM_NOT_FOUND: {
    meaning: 'The platform has no such object or path (404).',
    cause: '`baseUrl` is wrong, the object was deleted, or the platform does not offer the operation.',
    cure: ['Check `baseUrl` and the name in the command.', 'Run `rollcall check CONNECTION`.'],
    page: 'platform-assumptions.md',
  },
  PLATFORM_BUSY: {
    meaning: 'The platform asks Rollcall to wait (429, 503, or 403 with Retry-After). Rollcall retries automatically.',
    cause: 'Too many requests were sent, or the platform is in maintenance.',
    cure: ['Wait.', 'If this happens often, lower `limits.requestsPerSecond` of the connection.'],
    page: 'operations.md#load-on-the-platform',
  },
  PLATFORM_FAILED: {
    meaning: 'The platform returned a server error (5xx).',
    cause: 'The platform has a fault.',
    cure: [
      'Wait: runs retry automatically.',
      'If the problem persists, ask the operators of the platform, and run `rollcall pause SYNC` to stop the alerts.',
    ],
    page: 'operations.md#load-on-the-platform',
  },
  REAUTH_REQUIRED: {
    meaning:
      'The platform no longer accepts the refresh token. No sync of the connection works until a new token is configured.',
    cause: 'The refresh token was revoked, has expired, or was used by another installation.',
    cure: [
      'Get a new refresh token from the platform and put it in the configuration.',
      'Run `rollcall token refresh CONNECTION`, or restart the processes.',
      'Run `rollcall token status CONNECTION` to confirm.',
    ],
    page: 'tokens.md',
  },
  TOKEN_REVOKED: {
    meaning: 'An operator revoked the tokens of the connection. They are not refreshed automatically.',
    cause: '`rollcall token revoke CONNECTION` was run. The audit shows who ran it.',
    cure: [
      'Run `rollcall audit` to see who revoked the tokens and why.',
      'Run `rollcall token refresh CONNECTION` when syncs may use the connection again.',
    ],
    page: 'tokens.md',
  },
  TOKEN_RESTORED: {
    meaning: 'The tokens come from a backup, and nothing is presented to the platform until an operator confirms them.',
    cause: 'The store was restored. A newer token pair may exist, and an old refresh token can revoke all tokens.',
    cure: [
      'Get a new refresh token from the platform and put it in the configuration.',
      'Run `rollcall token refresh CONNECTION` only if no refresh happened after the backup.',
      'For the tokens of a source, run `rollcall source try SYNC --confirm-restored-token` instead.',
    ],
    page: 'backup.md#tokens',
  },
  TOKEN_UNAVAILABLE: {
    meaning: 'No token is available to this command.',
    cause: 'No token is configured or stored, the stored one cannot be opened, or the store refuses a new pair.',
    cure: [
      'Run `rollcall token status CONNECTION`: it names the reason.',
      'If the first refresh token was never presented, run `rollcall token refresh CONNECTION`.',
      'If the store refuses a new pair, keep the process running and repair the store.',
    ],
    page: 'tokens.md',
  },
  STORE_INVALID: {
    meaning: 'The store cannot be used, or did not answer.',
    cause: 'The path or address is wrong, the disk is full, the database is down, or the encryption key does not fit.',
    cure: [
      'Read the message, which names the path, the table or the key.',
      'If the key is lost, run `rollcall admin keys status`.',
      'If a newer version wrote the store, install that version again.',
    ],
    page: 'operations.md#what-lies-on-disk',
  },
  REPORT_NOT_SENT: {
    meaning: 'The mail server did not take a report of leavers or joiners.',
    cause: 'The server cannot be reached, or refuses the login, the sender or a recipient.',
    cure: [
      'Read the message, which names the server and the reason, and correct `reports` in the configuration.',
      'The report is tried again at least once an hour.',
    ],
    page: 'how-to/report-leavers.md#send-it-each-week',
  },
  LEASE_LOST: {
    meaning: 'This process no longer owns the run or the token, so it stopped before its next effect.',
    cause: 'The process was too slow to renew its lease, and another process continues the work.',
    cure: [
      'Run `rollcall show RUN` to see the run, which another process continues.',
      'If this happens often, check for a lack of CPU, a slow store or a suspended machine.',
    ],
    page: 'operations.md#kill-restart-two-at-once',
  },
  CANCELLED: {
    meaning: 'The operation was stopped on request.',
    cause: 'An operator canceled the operation or declined the confirmation, or the process is stopping.',
    cure: ['If the operation is still needed, start it again: `rollcall resync SYNC`.'],
    page: 'operations.md#kill-restart-two-at-once',
  },
  IDENTIFICATION_INVALID: {
    meaning: 'An identification cannot be used. Nothing was sent for it.',
    cause: 'The identification is empty, `.` or `..`, or contains control characters.',
    cure: ["Correct the person's key in the HR system, or the mapping of `identification`."],
    page: 'configuration.md#the-mapping',
  },
  NOT_FOUND: {
    meaning: 'No sync, connection, run, plan or hold has this name.',
    cause: 'The name has a typing error, or the entry is older than the retention time.',
    cure: ['Run `rollcall status` to list syncs, `rollcall runs` to list runs, and `rollcall holds` to list holds.'],
    page: 'cli.md',
  },
  CONFLICT: {
    meaning: 'The operation does not fit the current state. Nothing was changed.',
    cause: 'Another process uses the store, or the state changed after it was read.',
    cure: [
      'Read the message, which says what to stop or to repeat.',
      'Run `rollcall status` to see the current state.',
    ],
    page: 'operations.md#kill-restart-two-at-once',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
