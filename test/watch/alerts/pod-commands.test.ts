import { expect, it } from 'vitest';
import { podCommands } from '../../../src/watch/alerts/pod-commands.ts';

const worker = 'kubectl exec --namespace hr deploy/rc-worker --';
const scheduler = 'kubectl exec --namespace hr deploy/rc-scheduler --';

const of = (role: string, ...steps: string[]) => steps.map((step) => step.replace('ROLE', `deploy/rc-${role}`));
const gone = ['get ROLE', 'logs ROLE --tail 50', 'scale ROLE --replicas 1'];

it.each([
  ['no-worker', worker, scheduler, of('worker', ...gone)],
  ['no-worker', scheduler, scheduler, of('worker', ...gone)],
  ['no-scheduler', scheduler, worker, of('scheduler', ...gone)],
  ['no-scheduler', worker, worker, of('scheduler', ...gone)],
  ['no-redis', worker, worker, of('worker', 'logs ROLE --tail 50')],
  ['jobs-wait', worker, worker, of('worker', 'get ROLE', 'logs ROLE --tail 50', 'scale ROLE --replicas N')],
  ['requests-wait', worker, worker, of('scheduler', 'logs ROLE --tail 50', 'rollout restart ROLE')],
] as const)('in %s with "%s", the commands of a notice run where a pod lives', (code, prefix, alive, steps) => {
  const { prefix: chosen, action = '' } = podCommands(code, prefix);
  expect(chosen).toBe(alive);
  expect(action.split('\n').map((line) => line.split('  # ')[0])).toEqual(
    steps.map((step) => `kubectl --namespace hr ${step}`),
  );
});

it('one pod that does everything has one Deployment, and elsewhere the problem names its own action', () => {
  const prefix = 'kubectl --context blue -n hr exec deploy/rc --';
  expect(podCommands('requests-wait', prefix)).toEqual({
    prefix,
    action: expect.stringContaining('kubectl --context blue -n hr rollout restart deploy/rc  #'),
  });
  expect(podCommands('run-failed', worker)).toEqual({ prefix: worker });
  for (const other of ['', 'docker exec rollcall']) expect(podCommands('no-worker', other)).toEqual({ prefix: other });
});
