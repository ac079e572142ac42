/**
 * Says in a sentence what an entry of the wire log means, and where that stands: tables of rules, where the first that
 * holds speaks.
 */
import type { FaultKind } from '../fault.ts';
import type { WireEntry } from '../wire.ts';
import { aroundRules } from './around.ts';
import { deviceGrant, deviceRules, pollRules } from './device.ts';
import {
  contract,
  isGood,
  type Rule,
  refusedWith,
  rfc,
  type Seen,
  type Source,
  seenIn,
  sent,
  statusOf,
  type Tone,
} from './rule.ts';
import { anyGrantRules, codeRules, refreshRules, revocationRules, serviceRules } from './tokens.ts';

export interface Explanation {
  readonly says: string;
  readonly source: Source;
  readonly tone: Tone;
}

const trouble = contract('Polling rules');

/** What the room did to an answer, in the place of what it would mean. */
const faultRules: Readonly<Partial<Record<FaultKind, readonly Rule[]>>> = {
  drop: [
    {
      when: isGood,
      says: () =>
        'The room lost this answer: the work is done, and the client does not know. Look at what it sends next.',
      source: trouble,
      tone: 'care',
    },
    {
      when: () => true,
      says: () =>
        'The room lost this answer. The client takes that for trouble that passes, and tries again.',
      source: trouble,
      tone: 'care',
    },
  ],
  '429': temporary('429'),
  '500': temporary('500'),
  non_json: temporary('HTML'),
  wrong_state: [
    {
      when: () => true,
      says: () =>
        'The room changed the state on its way back. The client compares it with what it sent, and throws the code away.',
      source: contract('GET /api/oidc/auth (web flow step 1)'),
      tone: 'care',
    },
  ],
  slow_down: [
    {
      when: () => true,
      says: () => 'The room told the TV to slow down. It adds 5 seconds to its interval, for good.',
      source: rfc(8628, '3.5'),
      tone: 'care',
    },
  ],
};

function temporary(what: string): readonly Rule[] {
  return [
    {
      when: (seen) => sent(seen, 'grant_type') === deviceGrant,
      says: () =>
        `The room answered ${what}. The TV takes it for trouble that passes: it doubles its interval, and polls on.`,
      source: trouble,
      tone: 'care',
    },
    {
      when: () => true,
      says: () => `The room answered ${what}. The client keeps its tokens, and tries again later.`,
      source: trouble,
      tone: 'care',
    },
  ];
}

/** Whatever was asked. */
const anyRules: readonly Rule[] = [
  {
    when: (seen) => statusOf(seen) === 429,
    says: () =>
      'Too many requests. The client keeps its tokens, and tries again after the time in Retry-After.',
    source: contract('Limits'),
    tone: 'bad',
  },
  {
    when: (seen) => statusOf(seen) >= 500,
    says: () => 'Trouble of the service. The client keeps its tokens, and tries again later.',
    source: trouble,
    tone: 'bad',
  },
];

const lastRules: readonly Rule[] = [
  {
    when: (seen) => refusedWith(seen, 'invalid_target'),
    says: () => 'The resource names no API that this client may ask for.',
    source: rfc(8707, '2'),
    tone: 'bad',
  },
  {
    when: ({ entry }) => entry.refusal !== null,
    says: ({ entry }) => `Refused: ${entry.refusal?.because}.`,
    source: contract('Errors'),
    tone: 'bad',
  },
  {
    when: () => true,
    says: (seen) => `Answered ${statusOf(seen)}.`,
    source: contract('Endpoints'),
    tone: 'plain',
  },
];

const grantRules: Readonly<Record<string, readonly Rule[]>> = {
  [deviceGrant]: pollRules,
  authorization_code: codeRules,
  client_credentials: serviceRules,
  refresh_token: refreshRules,
};

/** Every rule, for those who look where each stands. */
export const allRules: readonly Rule[] = [
  Object.values(faultRules),
  anyRules,
  lastRules,
  Object.values(grantRules),
  anyGrantRules,
  deviceRules,
  revocationRules,
  Object.values(aroundRules),
].flat(2);

function rulesOf(seen: Seen): readonly Rule[] {
  const { endpoint } = seen.entry;
  switch (endpoint) {
    case 'device':
      return deviceRules;
    case 'revocation':
      return [...revocationRules, ...anyGrantRules];
    case 'token': {
      const grant = sent(seen, 'grant_type') ?? '';
      const own = Object.hasOwn(grantRules, grant) ? grantRules[grant] : undefined;
      return [...anyGrantRules, ...(own ?? [])];
    }
    default:
      return aroundRules[endpoint] ?? [];
  }
}

/** What an entry of a tenant's log means. */
export function explain(entry: WireEntry, log: readonly WireEntry[]): Explanation {
  const seen = seenIn(log, entry);
  const { fault } = entry;
  const byRoom = fault === null ? [] : (faultRules[fault] ?? []);
  const rules = [...byRoom, ...anyRules, ...rulesOf(seen), ...lastRules];
  const rule = rules.find(({ when }) => when(seen));
  if (rule === undefined) throw new Error('no rule speaks of an entry');
  const late = fault === 'delay' ? 'Late, by the room’s doing. ' : '';
  return { says: `${late}${rule.says(seen)}`, source: rule.source, tone: rule.tone };
}
