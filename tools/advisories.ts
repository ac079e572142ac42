/** What the registry knows of the packages that are installed. */
export interface Advisories {
  /** Whether the registry answered. */
  readonly isAnswer: boolean;
  /** For people. */
  readonly lines: readonly string[];
  /** Whether there is a hole that is high or critical (security, W14). */
  readonly isBad: boolean;
}

const severe = ['high', 'critical'];

/** Reads what `npm audit --json` printed. */
export function readAdvisories(output: string): Advisories {
  const report = parsed(output);
  if (report?.vulnerabilities === undefined) {
    const reason = report?.message ?? 'npm audit printed no report';
    return { isAnswer: false, lines: [`known holes were not asked about: ${reason}`], isBad: false };
  }
  const found = Object.entries(report.vulnerabilities);
  const lines = found.map(([name, { severity }]) => `known hole: ${name}, ${severity}`);
  return {
    isAnswer: true,
    lines: lines.length === 0 ? ['the registry knows no hole'] : lines,
    isBad: found.some(([, { severity }]) => severe.includes(severity)),
  };
}

interface Report {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
}

function parsed(output: string): Report | null {
  try {
    return JSON.parse(output) as Report;
  } catch {
    return null;
  }
}
