/** What one trace of system calls says (security, Z3). */
export interface TraceVerdict {
  /** Answers to requests that change state. */
  readonly answers: number;
  /** How many commits they waited for: fewer, where some share one. */
  readonly commits: number;
  /** Answers that left while the write-ahead log had bytes that were not on the disk, or before any were. */
  readonly violations: readonly string[];
}

interface Connection {
  /** The request that was read last, while it is not answered. */
  readonly request: string;
  /** The number of the last write to the log, and of the last sync, when the request was read. */
  readonly syncsBefore: number;
}

/** `1234 write(23<socket:[99]>, "HTTP/1.1 200 ...` with the process in front where strace follows several. */
const call =
  /^\d+ +(pwrite64|pwritev|fsync|fdatasync|read|recvfrom|write|writev|sendto|sendmsg)\((\d+)<([^>]*)>(.*)$/;
const request = /"((?:POST|PUT) \S+) HTTP/;
const answer = /"HTTP\/1\.1 ([23]\d\d)/;

/**
 * Reads a trace of strace (`-f -y`), in which the database is written by one thread, call after call: between
 * the reading of a request that changes state and its answer the log is written and then synchronised, and no
 * answer leaves while the log has bytes that are not.
 *
 * @param lines a trace, oldest first
 * @param changes whether a request, such as `POST /api/oidc/token`, changes state
 */
export function readTrace(lines: Iterable<string>, changes: (request: string) => boolean): TraceVerdict {
  const connections = new Map<string, Connection>();
  const violations: string[] = [];
  let isDirty = false;
  let syncs = 0;
  let answers = 0;
  const commits = new Set<number>();
  for (const line of lines) {
    const [, name = '', descriptor = '', path = '', rest = ''] = call.exec(line) ?? [];
    if (path.endsWith('-wal')) {
      if (name.startsWith('pwrite')) isDirty = true;
      // A sync that came without a write before it puts nothing of a request on the disk.
      if (name.endsWith('sync') && isDirty && !rest.includes('= -1')) {
        isDirty = false;
        syncs += 1;
      }
      continue;
    }
    if (!path.startsWith('socket:') && !path.startsWith('TCP')) continue;
    const read = request.exec(rest)?.[1];
    if (read !== undefined) {
      connections.set(descriptor, { request: read, syncsBefore: syncs });
      continue;
    }
    const status = answer.exec(rest)?.[1];
    const asked = connections.get(descriptor);
    if (status === undefined || asked === undefined) continue;
    connections.delete(descriptor);
    if (!changes(asked.request)) continue;
    answers += 1;
    commits.add(syncs);
    if (isDirty) violations.push(`${asked.request}: ${status} left with a log that was not synchronised`);
    else if (syncs === asked.syncsBefore)
      violations.push(`${asked.request}: ${status} left before its commit`);
  }
  return { answers, commits: commits.size, violations };
}
