import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../../../test/support/http.ts';
import { apps, refreshAs } from '../../../../test/support/tokens.ts';
import { authorizationParameters, pkce, visitor } from '../../../../test/support/visitor.ts';
import { type Case, type CaseOptions, type Outcome, violations } from '../../case.ts';
import { newFamily, next, nextOf } from '../../clients/client.ts';
import { isCut, newSite, removeSite, run } from '../../site.ts';

const inFlight = { refreshes: 100, hashing: 50, reads: 50 } as const;
/** ms (security, Z15). */
const exitTime = 10_000;
const roundsEach = 60;

/** An answer that came whole; null if the connection ended without one. */
const outcomeOf = (answer: Promise<Answer>): Promise<Answer | null> =>
  answer.catch((error: unknown) => {
    if (isCut(error)) return null;
    throw error;
  });

const several = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

async function runDrain({ rounds }: CaseOptions): Promise<Outcome> {
  const found = violations();
  const site = await newSite();
  const each = Math.max(2, Math.ceil(rounds / roundsEach));
  const counts = { answered: 0, refused: 0 };
  let slowest = 0;
  for (let round = 1; round <= each; round += 1) {
    const running = await run(site);
    const { service, host, http } = running;
    const browser = visitor(service, host);
    const tokens: string[] = [];
    while (tokens.length < inFlight.refreshes) tokens.push(await newFamily(running, browser));
    const stranger = visitor(service, host);
    const { clientId, redirectUri } = apps.spa;
    const page = await stranger.authorize(authorizationParameters(clientId, redirectUri, pkce()));

    const hashing = several(inFlight.hashing, (index) =>
      outcomeOf(stranger.signIn(page, `nobody${round}-${index}@example.com`, 'a password to be hashed')),
    );
    await Promise.race(hashing);
    const refreshes = tokens.map((token) => outcomeOf(refreshAs(service, host, apps.spa, token)));
    const reads = several(inFlight.reads, () => outcomeOf(http(host, '/api/oidc/jwks')));
    await Promise.race(refreshes);
    const begun = performance.now();
    const code = await running.stop();
    const ms = performance.now() - begun;
    slowest = Math.max(slowest, ms);
    found.unless(
      code === 0 && ms <= exitTime,
      `round ${round}: it ended with ${code} after ${Math.round(ms)} ms`,
    );
    const log = statSync(join(site.folder, 'memberdoor.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
    found.unless(log === 0, `round ${round}: it left a log of ${log} bytes`);

    const ended = await Promise.all(refreshes);
    const others = await Promise.all([...hashing, ...reads]);
    for (const answer of [...ended, ...others]) {
      if (answer === null || answer.status === 503) counts.refused += 1;
      else counts.answered += 1;
      const isKnown = answer === null || [200, 422, 503].includes(answer.status);
      found.unless(isKnown, `round ${round}: a request was answered by ${answer?.status}`);
    }
    const again = await run(site);
    for (const [index, answer] of ended.entries()) {
      const isDone = answer?.status === 200;
      const current = isDone ? nextOf(answer) : tokens[index];
      const works = (await next(again, String(current))) !== null;
      // A connection that was reset may have been served: what is not allowed is an answer that is not true.
      found.unless(
        works,
        `round ${round}: a refresh that was ${isDone ? 'answered' : 'refused'} left no token`,
      );
    }
    await again.kill();
  }
  removeSite(site);
  const note = `${counts.answered} answered, ${counts.refused} told to come back; stopped within ${Math.round(slowest)} ms`;
  return { rounds: each, violations: found.all, note };
}

export const drain: Case = {
  id: 'Z15',
  title: 'SIGTERM with 200 requests in flight: each is answered wholly, or not begun',
  needs: [],
  run: runDrain,
};
