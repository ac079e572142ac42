/**
 * The load generator: a process of its own, told what to do over its channel to the bench. First comes a plan
 * with a file of items, then rounds of it; each is answered by what it brought.
 */
import { readFileSync } from 'node:fs';
import { type Answer, type Connection, openConnection } from './connection.ts';
import { createOperation, type Operation, WrongAnswer } from './operations.ts';
import type { Plan, Round, RoundResult } from './plan.ts';

let plan: Plan | null = null;
let operation: Operation | null = null;

process.on('message', (message: { plan: string } | { round: Round }) => {
  if ('plan' in message) {
    plan = JSON.parse(readFileSync(message.plan, 'utf8')) as Plan;
    operation = createOperation(plan);
    process.send?.({ ready: true });
  } else if (plan !== null && operation !== null) {
    run(plan, operation, message.round).then(
      (result) => process.send?.({ result }),
      (error: Error) => process.send?.({ failed: error.message }),
    );
  }
});
process.on('disconnect', () => process.exit());

/** Times of operations in ms, in an array that grows. */
class Times {
  #times = new Float64Array(1 << 16);
  count = 0;

  add(time: number): void {
    if (this.count === this.#times.length) {
      const longer = new Float64Array(this.#times.length * 2);
      longer.set(this.#times);
      this.#times = longer;
    }
    this.#times[this.count++] = time;
  }

  sorted(): Float64Array {
    return this.#times.slice(0, this.count).sort();
  }
}

async function run(plan: Plan, operation: Operation, round: Round): Promise<RoundResult> {
  const { milliseconds, connections: size, rate } = round;
  const times = new Times();
  const begun = new Float64Array(size);
  const open: Connection[] = [];
  const idle: number[] = [];
  let wrong = 0;
  let firstWrong: string | null = null;
  let underWay = 0;
  let until = Number.POSITIVE_INFINITY;
  let lastAnswer = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const noteWrong = (reason: string) => {
    wrong += 1;
    firstWrong ??= reason;
  };
  /** Begins the connection's next operation, or leaves it idle. */
  const begin = (connection: number, now: number) => {
    const request = now < until ? operation.begin(connection) : null;
    if (request === null) {
      underWay -= 1;
      if (underWay === 0 && rate === undefined) finish();
      return;
    }
    begun[connection] = now;
    open[connection]?.send(request);
  };
  const answered = (connection: number, answer: Answer) => {
    let next: string | null = null;
    try {
      next = operation.answered(connection, answer);
    } catch (error) {
      if (!(error instanceof WrongAnswer || error instanceof SyntaxError)) throw error;
      noteWrong(error.message);
    }
    if (next !== null) return open[connection]?.send(next);
    const now = performance.now();
    lastAnswer = now;
    times.add(now - (begun[connection] ?? now));
    if (rate === undefined) return begin(connection, now);
    underWay -= 1;
    idle.push(connection);
  };
  const failed = (reason: string) => {
    noteWrong(reason);
    underWay -= 1;
    if (underWay === 0) finish();
  };
  for (let number = 0; number < size; number += 1) {
    open.push(
      await openConnection(
        plan.ports[number % plan.ports.length] ?? 0,
        (answer) => answered(number, answer),
        failed,
      ),
    );
  }

  const cpu = process.cpuUsage();
  const started = performance.now();
  until = started + milliseconds;
  if (rate === undefined) {
    underWay = size;
    for (let number = 0; number < size; number += 1) begin(number, started);
    await finished;
  } else {
    for (let number = 0; number < size; number += 1) idle.push(number);
    await byTheClock(rate, until, () => {
      const connection = idle.pop();
      if (connection === undefined) return noteWrong('every connection was waiting for an answer');
      underWay += 1;
      begin(connection, performance.now());
    });
    while (underWay > 0 && performance.now() < until + 5_000)
      await new Promise((done) => setTimeout(done, 5));
  }
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of open) connection.close();
  const unproven = await prove(plan, operation);
  if (unproven !== null) noteWrong(unproven);
  const sorted = times.sorted();
  const quantile = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return {
    operations: times.count,
    wrong,
    firstWrong,
    milliseconds: Math.max(1, lastAnswer - started),
    p50: quantile(0.5),
    p99: quantile(0.99),
    longest: sorted.at(-1) ?? 0,
    ownMilliseconds: (user + system) / 1_000,
  };
}

async function byTheClock(rate: number, until: number, act: () => void): Promise<void> {
  const started = performance.now();
  for (let count = 1; performance.now() < until; count += 1) {
    act();
    const due = started + (count * 1_000) / rate;
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
  }
}

/** @returns what is wrong, or null */
async function prove({ ports: [port = 0] }: Plan, { proof, proven }: Operation): Promise<string | null> {
  const request = proof?.() ?? null;
  if (request === null) return null;
  const answer = await new Promise<Answer | string>((resolve, reject) => {
    const opening = openConnection(
      port,
      (came) => {
        resolve(came);
        void opening.then((connection) => connection.close());
      },
      resolve,
    );
    opening.then((connection) => connection.send(request), reject);
  });
  if (typeof answer === 'string') return answer;
  try {
    proven?.(answer);
    return null;
  } catch (error) {
    return error instanceof WrongAnswer ? error.message : String(error);
  }
}
