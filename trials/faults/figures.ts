// What a case asked, and how long the answers took.
import type { HttpClient } from '../../test/support/http.ts';
import { quantile } from '../soak/figures.ts';
import { Refused, type Served } from './site.ts';

export interface Figures {
  /** How many answers there were. */
  readonly answers: number;
  /** How many of them were 503. */
  readonly refusals: number;
  /** How long a part of the answers took at most, in ms. @param after so many answers, which do not count */
  within(part: number, after?: number): number;
  /** One line of a table. */
  text(): string;
  /**
   * The same service, with every answer counted.
   *
   * @param mayRefuse whether it may answer 503 now, which then is thrown as `Refused`
   */
  counting<S extends Served>(site: S, mayRefuse?: () => boolean): S;
}

/** @param found is told of 503 without Retry-After, and of any other answer from 500 on */
export function createFigures(found: { add(text: string): void }): Figures {
  const times: number[] = [];
  let refusals = 0;
  return {
    get answers() {
      return times.length;
    },
    get refusals() {
      return refusals;
    },
    within: (part, after = 0) => quantile(times.slice(after), part),
    text: () => {
      const at = (part: number) => Math.round(quantile(times, part));
      return `${times.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${refusals} answered by 503`;
    },
    counting: (site, mayRefuse = () => false) => {
      const http: HttpClient = Object.assign(
        async (...sent: Parameters<HttpClient>) => {
          const begun = performance.now();
          const answer = await site.http(...sent);
          times.push(performance.now() - begun);
          const { status, headers } = answer;
          const what = `${sent[1].replace(/\?.*/, '')} was answered by ${status}`;
          if (status === 503) {
            refusals += 1;
            if (headers['retry-after'] === undefined) found.add(`${what} without Retry-After`);
            if (mayRefuse()) throw new Refused(what);
          }
          if (status >= 500) found.add(what);
          return answer;
        },
        { close: () => site.http.close() },
      );
      return { ...site, http, service: { ...site.service, http } };
    },
  };
}
