import { defaultDialect } from '../../src/core/run/settings.ts';
import type { PlatformClientOptions } from '../../src/platform/client/client.ts';
import { runContractSuite } from '../../src/platform/contract-suite/contract-suite.ts';
import type { ContractAids } from '../../src/platform/contract-suite/fixture.ts';
import type { ContractLine } from '../../src/ports/api.ts';
import type { Clock, Logger } from '../../src/ports/runtime.ts';
import { parseFault, type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { renderCoverage } from './render-coverage.ts';
import { slowly } from './slowness.ts';

/** A sandbox, a connection to it, and every help that the contract suite can be given. */
export interface ConformingSandbox {
  readonly sandbox: RunningSandbox;
  readonly connection: PlatformClientOptions;
  readonly aids: ContractAids;
}

const start = Date.UTC(2026, 0, 15, 12);

/** Starts it, with a clock of its own on which waiting takes no time. Close the sandbox afterwards. */
export async function openConformingSandbox(options: Partial<SandboxOptions> = {}): Promise<ConformingSandbox> {
  const clock = skippingClock();
  const sandbox = await startSandbox({
    users: 12,
    processingMs: 0,
    importSource: 'command,identification,firstName,lastName\nU,E000001,Ana,Núñez\n',
    ...options,
    now: () => clock.now(),
  });
  const { url: baseUrl, applicationToken, accessToken: secret } = sandbox;
  return {
    sandbox,
    connection: {
      baseUrl,
      dialect: defaultDialect,
      limits: { requestsPerSecond: 5000, concurrency: 4, timeoutMs: slowly(5000) },
      applicationToken,
      tokens: {
        current: async () => ({ secret, generation: 1 }),
        renew: async (refused) => ({ secret, generation: refused + 1 }),
        accepted: () => {},
      },
      clock,
      logger: silentLogger,
    },
    aids: {
      async inject(operation, status) {
        sandbox.setFaults([parseFault(`${operation}:status=${status}`)]);
        return async () => sandbox.setFaults([]);
      },
      feedbackRequestId: async () => sandbox.state.feedbackRequests.at(-1)?.id ?? 0,
      spareTokens: async () => ({ baseUrl, applicationToken, ...sandbox.authorize() }),
      mayStartImport: true,
    },
  };
}

/** The page docs/platform-api-coverage.md: what the suite sees on a sandbox. */
export async function renderSandboxCoverage(): Promise<string> {
  const { sandbox, connection, aids } = await openConformingSandbox();
  const { signal } = new AbortController();
  const lines: ContractLine[] = [];
  try {
    for await (const line of runContractSuite({ connection, aids, mode: 'read-write', signal })) lines.push(line);
  } finally {
    await sandbox.close();
  }
  return renderCoverage(lines);
}

function skippingClock(): Clock {
  let now = start;
  return {
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      now += ms;
    },
  };
}

const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
