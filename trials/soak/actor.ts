import type { Answer } from '../../test/support/http.ts';
import type { TestService } from '../../test/support/service.ts';
import type { SoakSite } from './site.ts';

/** A person or a program that uses the service, or attacks it, round after round. */
export interface Actor {
  readonly name: string;
  /** How many of them there are at once. */
  readonly count: number;
  /** How long each waits between rounds, in ms. */
  readonly pause: number;
  /** @returns one round, to be repeated; it throws for a wrong answer */
  begin(stage: Stage): () => Promise<void>;
}

/** What an actor works with. */
export interface Stage {
  readonly site: SoakSite;
  /** Which of its kind it is, from 0. */
  readonly number: number;
  /** To be handed to what only speaks HTTP to a service: sends from anywhere, and remembers the answers. */
  readonly service: TestService;
  /** The same from one address. */
  from(address: string): TestService;
}

/** The service did not do what it should. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/** @throws WrongAnswer unless the answer has one of these statuses; of the answer only the status and the error are told */
export function expectStatus(answer: Answer, what: string, ...statuses: readonly number[]): Answer {
  if (statuses.includes(answer.status)) return answer;
  const error = /"error":"([^"]*)"/.exec(answer.text)?.[1] ?? '';
  throw new WrongAnswer(`${what}: ${answer.status} ${error}`.trim());
}

/** @throws WrongAnswer unless it is refused with this error of OAuth */
export function expectRefused(answer: Answer, what: string, error: string): void {
  expectStatus(answer, what, 400);
  if (answer.json().error !== error) throw new WrongAnswer(`${what}: ${answer.json().error}`);
}

/** @throws WrongAnswer unless this is so */
export function expectSo(isSo: boolean, what: string): void {
  if (!isSo) throw new WrongAnswer(what);
}

export const anyUnder = (limit: number) => Math.floor(Math.random() * limit);

export function anyOf<T>(all: readonly T[]): T {
  const one = all[anyUnder(all.length)];
  if (one === undefined) throw new Error('there is nothing to choose from');
  return one;
}
