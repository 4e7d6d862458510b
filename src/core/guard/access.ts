/* Who may do what. The API, the page and the command line ask these rules. */

/** From the least to the most: each may do all that the one before it may. */
export const accessRoles = ['monitor', 'viewer', 'operator', 'admin'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** What an identity may do in some syncs. */
export interface Grant {
  readonly role: AccessRole;
  /** Absent: all syncs, and what belongs to the whole deployment. */
  readonly syncs?: readonly string[];
  /** False: answers have no personal data, and what consists of them is refused. A monitor never sees people. */
  readonly people?: boolean;
}

/** The grants of one identity. They add up. */
export type Access = readonly Grant[];

/** What an operation needs in its sync. */
export interface Need {
  readonly role: AccessRole;
  /** `needed`: the operation is about personal data. `hidden`: its answer leaves them out. `none`: it has none. */
  readonly people: 'needed' | 'hidden' | 'none';
}

export const fullAccess: Access = [{ role: 'admin' }];

/** What keeps an identity from an operation. `sync`: for it, the sync does not exist. */
export type Obstacle = 'sync' | 'role' | 'people';

/** Returns what keeps the identity from the operation; undefined: it may. No sync: the operation is about all of them. */
export function obstacleTo(access: Access, { role, people }: Need, sync?: string): Obstacle | undefined {
  if (!access.some((grant) => covers(grant, sync))) return sync === undefined ? 'role' : 'sync';
  const isAllowed = access.some((grant) => covers(grant, sync) && rankOf(grant.role) >= rankOf(role));
  if (!isAllowed) return 'role';
  return people === 'needed' && !seesPeople(access, sync) ? 'people' : undefined;
}

/** Returns whether answers about the sync may have personal data. */
export function seesPeople(access: Access, sync?: string): boolean {
  return access.some((grant) => covers(grant, sync) && grant.people !== false && grant.role !== 'monitor');
}

/** Returns the syncs in which the identity meets the need; undefined: in all, and also in those of a former configuration. */
export function syncsFor(access: Access, need: Need, syncs: readonly string[]): readonly string[] | undefined {
  if (obstacleTo(access, need) === undefined) return undefined;
  return syncs.filter((sync) => obstacleTo(access, need, sync) === undefined);
}

/** Returns the highest role that the identity has anywhere. Without a grant, that of a monitor. */
export function highestRole(access: Access): AccessRole {
  return accessRoles.findLast((role) => access.some((grant) => grant.role === role)) ?? 'monitor';
}

/** Says a grant in words: `operator of people-uy, without people`. */
export function grantWords({ role, syncs, people }: Grant): string {
  const where = syncs === undefined ? '' : ` of ${syncs.join(', ')}`;
  return `${role}${where}${people === false && role !== 'monitor' ? ', without people' : ''}`;
}

/** Returns whether one of the grants allows all that the grant does. */
export function isCovered({ role, syncs, people }: Grant, access: Access): boolean {
  return access.some((one) => {
    const isEverywhere = one.syncs === undefined || syncs?.every((sync) => covers(one, sync)) === true;
    const seesEnough = people === false || role === 'monitor' || one.people !== false;
    return rankOf(one.role) >= rankOf(role) && isEverywhere && seesEnough;
  });
}

function covers({ syncs }: Grant, sync: string | undefined): boolean {
  return syncs === undefined || (sync !== undefined && syncs.includes(sync));
}

function rankOf(role: AccessRole): number {
  return accessRoles.indexOf(role);
}
