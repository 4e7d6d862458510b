import { parseFault, startSandbox } from '../../src/sandbox/index.ts';
import { describePlatformContract } from '../contracts/platform.ts';
import { closeAndFailOnLeaks, closeLater } from './closing.ts';
import { fixedTokens, openTestClient, skippingClock } from './test-client.ts';

closeAndFailOnLeaks();

const people = Array.from({ length: 30 }, (_, i) => ({
  identification: `E${i + 1}`,
  enabled: (i + 1) % 10 !== 0,
  fields: { firstName: 'Ana', lastName: `Gómez ${i + 1}`, email: `ana.${i + 1}@example.com` },
}));

describePlatformContract('the client over the sandbox', async () => {
  const clock = skippingClock();
  const sandbox = await startSandbox({ people, now: () => clock.now() });
  closeLater(() => sandbox.close());
  const { platform } = openTestClient(sandbox.url, {
    clock,
    dialect: { search: { parameters: 'query', pageSize: 7 } },
    tokens: fixedTokens(sandbox.accessToken),
  });
  return {
    platform,
    settle: () => clock.sleep(10_000),
    loseNextAnswer: (operation) => sandbox.setFaults([parseFault(`${operation}:reset-after-commit@1`)]),
    calls: (operation) => sandbox.state.requests[operation],
  };
});
