type Json = Readonly<Record<string, unknown>>;

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Json)[key] : undefined),
    value,
  );
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const allowedSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const allowedSeLinux = [undefined, '', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
const allowedSeccomp = ['RuntimeDefault', 'Localhost'];
const allowedAppArmor = [undefined, 'RuntimeDefault', 'Localhost'];

/**
 * Returns what the profile "restricted" of the Pod Security Standards refuses in a pod. It contains the profile "baseline".
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export function restrictedViolations(pod: unknown): readonly string[] {
  const found: string[] = [];
  const refuse = (isWrong: boolean, what: string): void => void (isWrong && found.push(what));
  for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) refuse(at(pod, key) === true, key);
  for (const { name } of list(at(pod, 'securityContext', 'sysctls')))
    refuse(!allowedSysctls.includes(String(name)), `sysctl ${name}`);
  for (const volume of list(at(pod, 'volumes'))) {
    const kinds = Object.keys(volume).filter((key) => key !== 'name');
    refuse(kinds.length !== 1 || !allowedVolumes.includes(kinds[0] ?? ''), `volume ${volume.name}: ${kinds}`);
  }
  refuse(at(pod, 'securityContext', 'runAsUser') === 0, 'runAsUser 0');
  refuseContext(at(pod, 'securityContext'), 'pod', refuse);
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) => list(at(pod, key)));
  for (const container of containers) containerViolations(container, at(pod, 'securityContext'), refuse);
  return found;
}

type Refuse = (isWrong: boolean, what: string) => void;

/** What is refused in the context of a pod and in that of a container alike. */
function refuseContext(context: unknown, where: string, refuse: Refuse): void {
  const seLinux = at(context, 'seLinuxOptions');
  refuse(!allowedSeLinux.includes(at(seLinux, 'type') as string | undefined), `${where}: SELinux type`);
  refuse(Boolean(at(seLinux, 'user')) || Boolean(at(seLinux, 'role')), `${where}: SELinux user or role`);
  refuse(!allowedAppArmor.includes(at(context, 'appArmorProfile', 'type') as string | undefined), `${where}: AppArmor`);
  refuse(at(context, 'windowsOptions', 'hostProcess') === true, `${where}: hostProcess`);
}

function containerViolations(container: Json, podContext: unknown, refuse: Refuse): void {
  const name = String(container.name);
  const own = container.securityContext;
  refuse(at(own, 'privileged') === true, `${name}: privileged`);
  refuse(at(own, 'allowPrivilegeEscalation') !== false, `${name}: allowPrivilegeEscalation`);
  refuse(!['Default', undefined].includes(at(own, 'procMount') as string | undefined), `${name}: procMount`);
  const drop = at(own, 'capabilities', 'drop');
  refuse(!(Array.isArray(drop) && drop.includes('ALL')), `${name}: capabilities are not dropped`);
  const add = at(own, 'capabilities', 'add') ?? [];
  refuse(!(Array.isArray(add) && add.every((one) => one === 'NET_BIND_SERVICE')), `${name}: capabilities ${add}`);
  const runAsNonRoot = at(own, 'runAsNonRoot') ?? at(podContext, 'runAsNonRoot');
  refuse(runAsNonRoot !== true, `${name}: runAsNonRoot`);
  refuse(at(own, 'runAsUser') === 0, `${name}: runAsUser 0`);
  const seccomp = at(own, 'seccompProfile', 'type') ?? at(podContext, 'seccompProfile', 'type');
  refuse(!allowedSeccomp.includes(String(seccomp)), `${name}: seccompProfile`);
  refuse(
    list(container.ports).some(({ hostPort }) => hostPort !== undefined && hostPort !== 0),
    `${name}: hostPort`,
  );
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    refuse(at(container, probe, 'httpGet', 'host') !== undefined, `${name}: host of ${probe}`);
  refuseContext(own, name, refuse);
}

/**
 * Returns what the SCC "restricted-v2" of OpenShift refuses beyond the profile "restricted": ids and SELinux labels, which the
 * cluster assigns for each namespace.
 */
export function sccViolations(pod: unknown): readonly string[] {
  const contexts = [
    ['pod', at(pod, 'securityContext')] as const,
    ...['initContainers', 'containers'].flatMap((key) =>
      list(at(pod, key)).map((container) => [String(container.name), container.securityContext] as const),
    ),
  ];
  return contexts.flatMap(([where, context]) =>
    ['runAsUser', 'runAsGroup', 'fsGroup', 'supplementalGroups', 'seLinuxOptions']
      .filter((key) => at(context, key) !== undefined)
      .map((key) => `${where}: ${key}`),
  );
}
