import type { AlertCode } from '../../core/run/codes/code-names.ts';

/* What an operator runs in Kubernetes: commands that work in the outage that a notice is about. */

/** `ROLE`: the Deployment of the role. */
type Step = readonly [command: string, why: string];

const ready: Step = ['get deploy/ROLE', 'how many of its pods are ready'];
const scaled: Step = ['scale deploy/ROLE --replicas 1', 'if it has none'];
const logged = (why: string): Step => ['logs deploy/ROLE --tail 50', why];

interface Outage {
  readonly role: 'scheduler' | 'worker';
  /** No pod of the role runs, so no command runs in one. */
  readonly isGone?: true;
  readonly steps: readonly Step[];
}

const outages: Readonly<Partial<Record<AlertCode, Outage>>> = {
  'no-scheduler': { role: 'scheduler', isGone: true, steps: [ready, logged('why its pod ends'), scaled] },
  'no-worker': { role: 'worker', isGone: true, steps: [ready, logged('why its pods end'), scaled] },
  'no-redis': { role: 'worker', steps: [logged('which error Redis gives')] },
  'jobs-wait': {
    role: 'worker',
    steps: [ready, logged('what they wait for'), ['scale deploy/ROLE --replicas N', 'N: more than now']],
  },
  'requests-wait': {
    role: 'scheduler',
    steps: [logged('what it waits for'), ['rollout restart deploy/ROLE', 'if the log has stopped']],
  },
};

interface PodCommands {
  /** What stands before a command of Rollcall. Its pod lives. */
  readonly prefix: string;
  /** Absent: the problem's own action. */
  readonly action?: string;
}

/** Returns the commands for a problem. `prefix`: what stands before other commands, such as `kubectl exec deploy/NAME-worker --`. */
export function podCommands(code: AlertCode, prefix: string): PodCommands {
  const outage = outages[code];
  const [, exec, name, role] = /^(kubectl\b.*) deploy\/(\S+?)(?:-(worker|scheduler|server))? --$/.exec(prefix) ?? [];
  if (outage === undefined || exec === undefined || name === undefined) return { prefix };
  const kubectl = exec.replace(/ exec\b/, '');
  const deployment = role === undefined ? name : `${name}-${outage.role}`;
  const action = outage.steps.map(([step, why]) => `${kubectl} ${step.replace('ROLE', deployment)}  # ${why}`);
  const other = outage.role === 'worker' ? 'scheduler' : 'worker';
  const isElsewhere = outage.isGone === true && role === outage.role;
  return { prefix: isElsewhere ? `${exec} deploy/${name}-${other} --` : prefix, action: action.join('\n') };
}

/** Returns what stands before a command in a deployment of Kubernetes that is named `NAMESPACE/NAME`; else undefined. */
export function commandPrefixOf(deployment: string): string | undefined {
  const [, namespace, name] = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)$/.exec(deployment) ?? [];
  return namespace === undefined ? undefined : `kubectl -n ${namespace} exec deploy/${name} --`;
}
