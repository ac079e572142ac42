/** What a fault needs that not every machine has. */
export type Need = 'strace' | 'faketime' | 'root';

export interface CaseOptions {
  /** How many rounds the long cases take. */
  readonly rounds: number;
}

export interface Outcome {
  readonly rounds: number;
  /** What broke a promise, each in one line. */
  readonly violations: readonly string[];
  /** Figures for the table. */
  readonly note: string;
}

/** One fault that the service must bear (security cases, Z). */
export interface Case {
  /** Its line in the catalogue, such as `Z1`. */
  readonly id: string;
  readonly title: string;
  readonly needs: readonly Need[];
  run(options: CaseOptions): Promise<Outcome>;
}

/** Gathers what broke a promise; a thousand times the same is told a few times. */
export interface Violations {
  readonly all: readonly string[];
  add(text: string): void;
  /** Adds the text unless this is so. */
  unless(isSo: boolean, text: string): void;
}

export function violations(): Violations {
  const all: string[] = [];
  const add = (text: string) => {
    all.push(text);
  };
  return {
    all,
    add,
    unless: (isSo, text) => {
      if (!isSo) add(text);
    },
  };
}
