import { defaultDialect } from '../../src/core/run/settings.ts';
import type { PlatformClientOptions } from '../../src/platform/client/client.ts';
import type { Clock, Logger } from '../../src/ports/runtime.ts';
import { parseFault, type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { runContractSuite } from '../platform/contract-suite/contract-suite.ts';
import type { ContractAids } from '../platform/contract-suite/fixture.ts';
import { renderCoverage } from './render-coverage.ts';
import { slowly } from './slowness.ts';

/** A sandbox, a connection to it, and what the contract suite needs beside it. */
export interface ConformingSandbox {
  readonly sandbox: RunningSandbox;
  readonly connection: PlatformClientOptions;
  readonly aids: ContractAids;
}

const start = Date.UTC(2026, 0, 15, 12);

/** Starts it, with a clock of its own on which waiting takes no time. Close the sandbox afterwards. `faults` stay. */
export async function openConformingSandbox(
  options: Partial<SandboxOptions> = {},
  faults: readonly string[] = [],
): Promise<ConformingSandbox> {
  const clock = skippingClock();
  const sandbox = await startSandbox({
    users: 12,
    processingMs: 0,
    importSource: 'command,identification,firstName,lastName\nU,E000001,Ana,Núñez\n',
    ...options,
    now: () => clock.now(),
  });
  const { url: baseUrl, applicationToken, accessToken: secret } = sandbox;
  const setFaults = (...more: readonly string[]) => sandbox.setFaults([...faults, ...more].map(parseFault));
  setFaults();
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
      inject(operation, status) {
        setFaults(`${operation}:status=${status}`);
        return setFaults;
      },
      feedbackRequestId: () => sandbox.state.feedbackRequests.at(-1)?.id ?? 0,
      spareTokens: () => ({ baseUrl, applicationToken, ...sandbox.authorize() }),
    },
  };
}

/** The page docs/platform-api-coverage.md: what the suite sees on a sandbox. */
export async function renderSandboxCoverage(): Promise<string> {
  const { sandbox, ...suite } = await openConformingSandbox();
  try {
    return renderCoverage(await runContractSuite(suite));
  } finally {
    await sandbox.close();
  }
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
