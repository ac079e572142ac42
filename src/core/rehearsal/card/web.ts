/** How a client signs members in on the web: what it makes anew each time, and what it compares. */
import { cardKept } from '../limits.ts';
import type { WireEntry } from '../wire.ts';
import { broken, type Judged, kept } from './rules.ts';
import { granted, type Placed, placed, remembered, type Sighting, sent } from './sighting.ts';

/** What a client sent before, by its mark, with what it was for and where that was seen. */
type Sent = ReadonlyMap<string, { readonly with: string; readonly seen: Sighting }>;

export interface WebMemory {
  /** Challenges and nonces of authorization requests, with the rest of what is new each time. */
  readonly challenges: Sent;
  readonly nonces: Sent;
  /** Verifiers, with the codes that they came with. */
  readonly verifiers: Sent;
  /** Codes that came back with a state that is not the client's, by their marks, and whether it went on without them. */
  readonly forged: ReadonlyMap<string, { readonly answer: Placed; readonly isThrownAway: boolean }>;
}

export const nothingSent: WebMemory = {
  challenges: new Map(),
  nonces: new Map(),
  verifiers: new Map(),
  forged: new Map(),
};

/** Takes in an entry of a client. */
export function judgeWeb(memory: WebMemory, entry: WireEntry): Judged<WebMemory> {
  const steps = [judgeForged, judgeRequest, judgeExchange];
  return steps.reduce<Judged<WebMemory>>(
    (judged, step) => {
      const { memory: next, findings } = step(judged.memory, entry);
      return { memory: next, findings: [...judged.findings, ...findings] };
    },
    { memory, findings: [] },
  );
}

/** An authorization request, pushed or not. The same one again is a browser that goes back, or loads it anew. */
function judgeRequest(memory: WebMemory, entry: WireEntry): Judged<WebMemory> {
  if (entry.endpoint !== 'authorization' && entry.endpoint !== 'par') return { memory, findings: [] };
  const [challenge, state, nonce] = ['code_challenge', 'state', 'nonce'].map(
    (name) => sent(entry, name) ?? '',
  );
  const { seen } = placed(entry);
  const challenges = judgeFresh(memory.challenges, challenge, `${state}`, seen, 'fresh_verifier');
  const nonces = judgeFresh(memory.nonces, nonce, `${challenge} ${state}`, seen, 'fresh_nonce');
  return {
    memory: { ...memory, challenges: challenges.memory, nonces: nonces.memory },
    findings: [
      // That a challenge is new shows when its verifier comes.
      ...challenges.findings.filter(({ verdict }) => verdict === 'broken'),
      ...nonces.findings,
    ],
  };
}

function judgeExchange(memory: WebMemory, entry: WireEntry): Judged<WebMemory> {
  const brought = granted(entry);
  const verifier = sent(entry, 'code_verifier');
  if (brought?.grant !== 'code' || verifier === undefined) return { memory, findings: [] };
  const judged = judgeFresh(memory.verifiers, verifier, brought.mark, placed(entry).seen, 'fresh_verifier');
  return { memory: { ...memory, verifiers: judged.memory }, findings: judged.findings };
}

const words = {
  fresh_verifier: {
    again: 'Used one code_verifier for two sign-ins: make a new one for each, by chance.',
    anew: 'Used another code_verifier than for the sign-in before.',
  },
  fresh_nonce: {
    again: 'Sent one nonce with two sign-ins: make a new one for each, by chance.',
    anew: 'Sent another nonce than with the sign-in before.',
  },
} as const;

/** @param beside what tells the sign-in that it is for from another one */
function judgeFresh(
  known: Sent,
  mark: string | undefined,
  beside: string,
  seen: Sighting,
  rule: keyof typeof words,
): Judged<Sent> {
  if (mark === undefined || mark === '') return { memory: known, findings: [] };
  const before = known.get(mark);
  if (before !== undefined) {
    const findings = before.with === beside ? [] : [broken(rule, words[rule].again, before.seen, seen)];
    return { memory: known, findings };
  }
  const last = [...known.values()].at(-1);
  return {
    memory: remembered(known, mark, { with: beside, seen }, cardKept.signIns),
    findings: last === undefined ? [] : [kept(rule, words[rule].anew, last.seen, seen)],
  };
}

/** The room changed the state of an answer on its way to the client: a client that compares it throws the code away (RFC 6749 §10.12). */
function judgeForged(memory: WebMemory, entry: WireEntry): Judged<WebMemory> {
  const seen = placed(entry);
  if (entry.fault === 'wrong_state') {
    const code = codeIn(entry);
    if (code === null) return { memory, findings: [] };
    const forged = { answer: seen, isThrownAway: false };
    return { memory: withForged(memory, code, forged), findings: [] };
  }
  const brought = granted(entry);
  const taken = brought?.grant === 'code' ? memory.forged.get(brought.mark) : undefined;
  if (taken !== undefined) {
    const says =
      'Exchanged a code that came back with another state than it had sent: compare state by its value, and throw away what does not fit.';
    return { memory, findings: [broken('state', says, taken.answer.seen, seen.seen)] };
  }
  return goesOn(memory, seen);
}

/** What a client asks for next shows that it did not take the code. */
function goesOn(memory: WebMemory, next: Placed): Judged<WebMemory> {
  const [code, forged] = [...memory.forged].at(-1) ?? ['', undefined];
  if (forged === undefined || forged.isThrownAway || next.came < forged.answer.over.place) {
    return { memory, findings: [] };
  }
  const says = 'Threw away an answer with another state than it had sent.';
  return {
    memory: withForged(memory, code, { ...forged, isThrownAway: true }),
    findings: [kept('state', says, forged.answer.seen, next.seen)],
  };
}

type Forged = WebMemory['forged'] extends ReadonlyMap<string, infer One> ? One : never;

const withForged = (memory: WebMemory, code: string, forged: Forged): WebMemory => ({
  ...memory,
  forged: remembered(memory.forged, code, forged, cardKept.uses),
});

/** The mark of the code in the address that an answer leads to. */
function codeIn({ answer: { headers } }: WireEntry): string | null {
  return /[?&]code=([^&]+)/.exec(String(headers.location ?? ''))?.[1] ?? null;
}
