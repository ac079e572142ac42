// How soon a new password is guessed: the estimate of zxcvbn, which is loaded at its first use.
import type { GuessesTo } from '../../core/members/password.ts';

/** What stands for letters (`p@$$w0rd`) is tried in so many ways. More take longer and find hardly more. */
const substitutions = 5;

let estimate: Promise<GuessesTo> | undefined;

/**
 * Only a new password asks for it, and its dictionaries take 7 MB: a start does without. A turn of the loop for each
 * part, so that others are answered in between.
 */
export function passwordEstimate(): Promise<GuessesTo> {
  estimate ??= load();
  return estimate;
}

async function load(): Promise<GuessesTo> {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core');
  const { adjacencyGraphs, dictionary } = await import('@zxcvbn-ts/language-common');
  const estimator = new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    l33tMaxSubstitutions: substitutions,
  });
  return (text, words) => estimator.check(text, [...words]).guesses;
}
