/** What can happen to a world: each event, by name, gives the world that follows. */
export type Events<World> = Readonly<Record<string, (world: World) => World>>;

/** One event of a walk, with the world on both sides of it. */
export interface Visit<World> {
  /** Every event since the start, this one last. */
  readonly path: string;
  readonly event: string;
  readonly before: World;
  readonly after: World;
}

/** Lets every sequence of events of at most this length happen. */
export function walk<World>(start: World, events: Events<World>, depth: number): readonly Visit<World>[] {
  const visits: Visit<World>[] = [];
  const go = (before: World, past: string, left: number) => {
    for (const [event, happen] of Object.entries(events)) {
      const path = past === '' ? event : `${past}; ${event}`;
      const after = happen(before);
      visits.push({ path, event, before, after });
      if (left > 1) go(after, path, left - 1);
    }
  };
  go(start, '', depth);
  return visits;
}

/** The histories that break a rule; a test expects none. The shortest come first. */
export function broken<World>(
  visits: readonly Visit<World>[],
  holds: (visit: Visit<World>) => boolean,
): readonly string[] {
  const paths = visits.filter((visit) => !holds(visit)).map(({ path }) => path);
  return paths.sort((a, b) => a.split(';').length - b.split(';').length).slice(0, 5);
}
