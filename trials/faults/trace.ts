/** What one trace of system calls says (security, Z3). */
export interface TraceVerdict {
  /** Answers to requests that change state. */
  readonly answers: number;
  /** How many commits they waited for: fewer, where some share one. */
  readonly commits: number;
  /** Answers that left before what they told of was on the disk, and what makes that impossible to tell. */
  readonly violations: readonly string[];
}

/** A request that was read and is not answered. */
interface Asked {
  readonly request: string;
  /** How often the log had been written when it was read. */
  readonly writesBefore: number;
}

/** A call of the system, with what it said in the end; where strace follows several threads it may come in two lines. */
interface Call {
  readonly name: string;
  readonly descriptor: string;
  readonly path: string;
  readonly rest: string;
  /** Whether this line tells of its beginning, of its end, or of both. */
  readonly part: 'begin' | 'end' | 'whole';
}

/** `1234 write(23<socket:[99]>, "HTTP/1.1 200 ...` with the process in front where strace follows several. */
const call =
  /^(\d+) +(pwrite64|pwritev|fsync|fdatasync|read|recvfrom|write|writev|sendto|sendmsg)\((\d+)<([^>]*)>(.*)$/;
const resumed = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/;
const request = /"((?:POST|PUT) \S+) HTTP/;
const answer = /"HTTP\/1\.1 ([23]\d\d)/;

function* readCalls(lines: Iterable<string>): Generator<Call> {
  const begun = new Map<string, Call>();
  for (const line of lines) {
    const [, process = '', rest = ''] = resumed.exec(line) ?? [];
    const before = begun.get(process);
    if (before !== undefined) {
      begun.delete(process);
      yield { ...before, rest, part: 'end' };
      continue;
    }
    const [, thread = '', name = '', descriptor = '', path = '', said = ''] = call.exec(line) ?? [];
    if (name === '') continue;
    const part = said.endsWith('<unfinished ...>') ? 'begin' : 'whole';
    const seen: Call = { name, descriptor, path, rest: said, part };
    if (part === 'begin') begun.set(thread, seen);
    yield seen;
  }
}

/**
 * Reads a trace of strace (`-f -y`), in which one thread writes the log and others synchronise it: between the
 * reading of a request that changes state and its answer the log is written, and then synchronised. A
 * synchronisation counts with its end, for what was written before its beginning. Nothing is written while one goes
 * on: so each commit has one of its own, and of those that come one by one it is known which.
 *
 * @param lines a trace, oldest first
 * @param changes whether a request, such as `POST /api/oidc/token`, changes state
 */
export function readTrace(lines: Iterable<string>, changes: (request: string) => boolean): TraceVerdict {
  const open = new Map<string, Asked>();
  const violations: string[] = [];
  const commits = new Set<number>();
  /** Of each synchronisation under way, by the descriptor it goes through: what was written when it began. */
  const syncing = new Map<string, number>();
  let writes = 0;
  let synced = 0;
  let answers = 0;
  for (const { name, descriptor, path, rest, part } of readCalls(lines)) {
    if (path.endsWith('-wal')) {
      if (name.startsWith('pwrite') && part !== 'end') {
        writes += 1;
        if (syncing.size > 0) violations.push('the log was written while it was synchronised');
      }
      if (!name.endsWith('sync')) continue;
      if (part !== 'end') syncing.set(descriptor, writes);
      if (part === 'begin') continue;
      if (!rest.includes('= -1')) synced = Math.max(synced, syncing.get(descriptor) ?? 0);
      syncing.delete(descriptor);
      continue;
    }
    if (!path.startsWith('socket:') && !path.startsWith('TCP')) continue;
    const read = request.exec(rest)?.[1];
    if (read !== undefined && changes(read)) {
      open.set(descriptor, { request: read, writesBefore: writes });
      continue;
    }
    if (read !== undefined) open.delete(descriptor);
    const status = answer.exec(rest)?.[1];
    const asked = open.get(descriptor);
    if (status === undefined || asked === undefined) continue;
    open.delete(descriptor);
    answers += 1;
    commits.add(synced);
    if (synced > asked.writesBefore) continue;
    const how = writes > asked.writesBefore ? 'with a log that was not synchronised' : 'before its commit';
    violations.push(`${asked.request}: ${status} left ${how}`);
  }
  return { answers, commits: commits.size, violations };
}
