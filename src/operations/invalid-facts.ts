/** What an operator says of a tenant, a client, a package and the like cannot stand; nothing was changed. */
export class InvalidFacts extends Error {
  override readonly name = 'InvalidFacts';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** @throws InvalidFacts with every problem at once, if there is one */
export function refuseIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new InvalidFacts(problems);
}
