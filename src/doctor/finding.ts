/** One thing that the doctor looked at. */
export interface Finding {
  /** An address, or a part of this machine such as `disk`. */
  readonly where: string;
  readonly isWell: boolean;
  /** What was found, in a few words. */
  readonly what: string;
  /** What to do about it; null where all is well. */
  readonly advice: string | null;
  /** The lines of a proxy's configuration that mend it. */
  readonly mend: ProxyLines | null;
}

/** The same for either proxy. */
export interface ProxyLines {
  readonly nginx: readonly string[];
  readonly caddy: readonly string[];
}

export function well(where: string, what: string): Finding {
  return { where, isWell: true, what, advice: null, mend: null };
}

export function wrong(where: string, what: string, advice: string, mend: ProxyLines | null = null): Finding {
  return { where, isWell: false, what, advice, mend };
}
