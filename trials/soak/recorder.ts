import type { Answer, Ask, HttpClient } from '../../test/support/http.ts';
import { quantile } from './figures.ts';

/** The service was busy and said so (503): the round ends, and nothing is wrong. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

/** An answer, as far as it is remembered. */
interface Remembered {
  /** ms since the beginning. */
  readonly at: number;
  readonly took: number;
}

/** What happened to the answers of one route. */
export interface RouteFigures {
  readonly route: string;
  readonly count: number;
  readonly p50: number;
  /** In the first and in the last third of what is looked at, ms. */
  readonly firstP99: number;
  readonly lastP99: number;
}

/** Remembers every answer of a soak. */
export interface Recorder {
  /** Sends each request from the address that it is given. @throws Busy */
  client(addressOf: () => string): HttpClient;
  note(wrong: string): void;
  readonly answers: number;
  /** Answers of 503, which may come while something is full. */
  readonly busy: number;
  readonly wrong: ReadonlyMap<string, number>;
  /** Of the answers between two times (ms since the beginning); the first is of all of them. */
  figures(from: number, to: number): readonly RouteFigures[];
}

/** How much of an error is told: an answer may be long. */
const toldLength = 240;

export function createRecorder(http: HttpClient, begun: number): Recorder {
  const routes = new Map<string, Remembered[]>();
  const wrong = new Map<string, number>();
  let answers = 0;
  let busy = 0;
  const note = (text: string) => {
    const told = text.replaceAll(/\s+/g, ' ').slice(0, toldLength);
    wrong.set(told, (wrong.get(told) ?? 0) + 1);
  };
  const send = async (address: string, host: string, path: string, ask: Ask): Promise<Answer> => {
    const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https', ...ask.headers };
    const sentAt = performance.now();
    const answer = await http(host, path, { ...ask, headers });
    const took = performance.now() - sentAt;
    answers += 1;
    const route = routeOf(path, ask);
    const known = routes.get(route) ?? [];
    routes.set(route, known);
    known.push({ at: sentAt - begun, took });
    if (answer.status === 503) {
      busy += 1;
      throw new Busy(route);
    }
    if (answer.status >= 500) note(`${route} answered ${answer.status}`);
    return answer;
  };
  return {
    client: (addressOf) =>
      Object.assign((host: string, path: string, ask: Ask = {}) => send(addressOf(), host, path, ask), {
        close: () => {},
      }),
    note,
    get answers() {
      return answers;
    },
    get busy() {
      return busy;
    },
    wrong,
    figures: (from, to) =>
      [['all', [...routes.values()].flat()] as const, ...[...routes].sort()].map(([route, all]) =>
        figuresOf(route, all, from, to),
      ),
  };
}

function figuresOf(route: string, all: readonly Remembered[], from: number, to: number): RouteFigures {
  const third = (to - from) / 3;
  const between = (first: number, last: number) =>
    all.flatMap(({ at, took }) => (at >= first && at < last ? [took] : []));
  return {
    route,
    count: all.length,
    p50: quantile(between(from, to), 0.5),
    firstP99: quantile(between(from, from + third), 0.99),
    lastP99: quantile(between(to - third, to), 0.99),
  };
}

/** Routes with many addresses, told as one. */
const families = [
  /^\/admin(?=\/)/,
  /^\/api\/v1\/admin(?=\/)/,
  /^\/api\/v1\/members(?=\/)/,
  /^\/hostile(?=\/)/,
];

function routeOf(path: string, { method, body }: Ask): string {
  const [pathname = ''] = path.split('?');
  const family = families.flatMap((pattern) => pattern.exec(pathname)?.[0] ?? [])[0];
  return `${method ?? (body === undefined ? 'GET' : 'POST')} ${family === undefined ? pathname : `${family}/*`}`;
}
