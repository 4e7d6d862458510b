/** Which people a run is about. A list of names may hold one twice. */
type Scope =
  | { readonly kind: 'all' }
  | { readonly kind: 'users'; readonly identifications: readonly string[]; readonly undoes?: unknown };

/** People in one run that several requests are joined into: as many as one request may name. */
export const mostJoined = 50_000;

/**
 * Returns the requests for named people that one run can do, out of those that wait, oldest first. Takes them in their
 * order while they name at most `mostJoined` people together. Returns only the first one if it is about all people, or
 * undoes a run.
 */
export function joinNamed<Request extends { readonly scope: Scope }>(
  waiting: readonly Request[],
): { readonly joined: readonly Request[]; readonly identifications: readonly string[] } {
  const joined: Request[] = [];
  const names = new Set<string>();
  for (const request of waiting) {
    if (request.scope.kind !== 'users' || request.scope.undoes !== undefined) {
      const { scope } = request;
      if (joined.length === 0) {
        return { joined: [request], identifications: scope.kind === 'users' ? scope.identifications : [] };
      }
      continue;
    }
    const added = request.scope.identifications.filter((name) => !names.has(name));
    if (joined.length > 0 && names.size + added.length > mostJoined) break;
    for (const name of added) names.add(name);
    joined.push(request);
  }
  return { joined, identifications: [...names] };
}
