/** Leaders and their collaborators, by identification. */
export class Leadership {
  readonly #main = new Map<string, string>();
  readonly #secondary = new Map<string, Set<string>>();

  mainLeaderOf(collaborator: string): string | undefined {
    return this.#main.get(collaborator);
  }

  secondaryLeadersOf(collaborator: string): readonly string[] {
    return [...(this.#secondary.get(collaborator) ?? [])];
  }

  /** Returns the collaborators of a main or secondary leader, each once. */
  collaboratorsOf(leader: string): readonly string[] {
    const main = [...this.#main].filter(([, entry]) => entry === leader).map(([collaborator]) => collaborator);
    const secondary = [...this.#secondary]
      .filter(([, entry]) => entry.has(leader))
      .map(([collaborator]) => collaborator);
    return [...new Set([...main, ...secondary])];
  }

  /** Replaces the main leader and adds secondary leaders. */
  add(collaborator: string, main: string | undefined, secondary: readonly string[]): void {
    if (main !== undefined) this.#main.set(collaborator, main);
    const leaders = this.#secondary.get(collaborator) ?? new Set();
    for (const leader of secondary) leaders.add(leader);
    this.#secondary.set(collaborator, leaders);
  }

  /** Removes the named leaders. Ignores names that are not leaders. */
  remove(collaborator: string, main: string | undefined, secondary: readonly string[]): void {
    if (main !== undefined && this.#main.get(collaborator) === main) this.#main.delete(collaborator);
    for (const leader of secondary) this.#secondary.get(collaborator)?.delete(leader);
  }

  /** Removes a deleted user from every relationship. */
  forget(identification: string): void {
    for (const collaborator of this.collaboratorsOf(identification)) {
      this.remove(collaborator, identification, [identification]);
    }
    this.#main.delete(identification);
    this.#secondary.delete(identification);
  }

  /** Moves the relationships of a user to a new identification. */
  rename(from: string, to: string): void {
    for (const collaborator of this.collaboratorsOf(from)) {
      const isMain = this.#main.get(collaborator) === from;
      const isSecondary = this.#secondary.get(collaborator)?.has(from) === true;
      this.remove(collaborator, from, [from]);
      this.add(collaborator, isMain ? to : undefined, isSecondary ? [to] : []);
    }
    this.add(to, this.#main.get(from), this.secondaryLeadersOf(from));
    this.#main.delete(from);
    this.#secondary.delete(from);
  }
}
