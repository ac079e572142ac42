import { describe, expect, it } from 'vitest';
import { cardOf } from '../../../src/core/rehearsal/card/card.ts';
import { cardRules } from '../../../src/core/rehearsal/card/rules.ts';
import { emptyTally, moved } from '../../../src/core/rehearsal/card/tally.ts';
import { cardKept } from '../../../src/core/rehearsal/limits.ts';
import { otherState } from '../../../src/core/rehearsal/other-state.ts';
import {
  codeLine,
  exchangeLine,
  type Line,
  pollLine,
  refreshLine,
  refused,
  requestLine,
  tallyOf,
  tokens,
  verdicts,
} from '../../support/rehearsal/wire-log.ts';

const pending = 'authorization_pending';

describe('how a client signs in on the web', () => {
  it.each([
    [
      'makes all anew',
      [
        requestLine(0, ['c1', 's1', 'n1']),
        exchangeLine(1, 'code·1', 'v1'),
        requestLine(2, ['c2', 's2', 'n2']),
        exchangeLine(3, 'code·2', 'v2'),
      ],
      { fresh_verifier: 'kept', fresh_nonce: 'kept' },
    ],
    [
      'is loaded anew by its browser',
      [requestLine(0, ['c1', 's1', 'n1']), requestLine(1, ['c1', 's1', 'n1'])],
      {},
    ],
    [
      'has one challenge for two requests',
      [requestLine(0, ['c1', 's1', 'n1']), requestLine(1, ['c1', 's2', 'n2'])],
      { fresh_verifier: 'broken', fresh_nonce: 'kept' },
    ],
    [
      'has one verifier for two codes, and nothing else that tells them apart',
      [
        requestLine(0, ['c1', '', '']),
        exchangeLine(1, 'code·1', 'v1'),
        requestLine(2, ['c1', '', '']),
        exchangeLine(3, 'code·2', 'v1'),
      ],
      { fresh_verifier: 'broken' },
    ],
    [
      'sends a code again after trouble',
      [exchangeLine(0, 'code·1', 'v1', { status: 503 }), exchangeLine(5, 'code·1', 'v1')],
      {},
    ],
    [
      'pushes one nonce with two requests',
      [
        requestLine(0, ['c1', 's1', 'n1'], { endpoint: 'par' }),
        requestLine(1, ['c2', 's2', 'n1'], { endpoint: 'par' }),
      ],
      { fresh_nonce: 'broken' },
    ],
  ] as const)('of one that %s', (_what, lines, expected) => {
    expect(verdicts(lines)).toEqual(expected);
  });

  it('is seen to compare state by what it does with an answer that has another one', () => {
    const forged: Line = {
      endpoint: 'page',
      at: 0,
      status: 303,
      fault: 'wrong_state',
      location: 'https://app.test/cb?code=code·1&state=state·2&iss=x',
    };
    expect(verdicts([forged])).toEqual({});
    const anew = requestLine(5, ['c1', 's1', 'n1']);
    expect(verdicts([forged, anew])).toEqual({ state: 'kept' });
    expect(verdicts([forged, anew, exchangeLine(6, 'code·2', 'v1')])).toEqual({ state: 'kept' });
    expect(verdicts([forged, exchangeLine(6, 'code·1', 'v1')])).toEqual({ state: 'broken' });
    expect(verdicts([forged, anew, exchangeLine(6, 'code·1', 'v1')])).toEqual({ state: 'broken' });
  });

  it.each([
    ['a-random-state', 'a-random-statf'],
    ['AZ9=', 'AZ0='],
    ['===', '===0'],
    ['', '0'],
    ['{"action":"signup","csrf":"abc1"}', '{"action":"signup","csrf":"abc2"}'],
    ['{"csrf":"abcz","action":"signup"}', '{"csrf":"abca","action":"signup"}'],
    ['{"n": 5}', '{"n": 6}'],
    ['{"action":"signup"}', '{"action":"signuq"}'],
    ['["a"]', '["b"]'],
  ])('which is %s and then %s', (state, other) => {
    expect(otherState(state)).toBe(other);
  });
});

describe('where a client has its addresses from', () => {
  const read = (at: number): Line => ({ endpoint: 'discovery', at, client: null });
  const ask = (at: number, mark?: string) => ({
    ...codeLine(at),
    sent: mark === undefined ? {} : { moved: mark },
  });

  it.each([
    ['that of the move', [read(0), ask(10, 'm1')], 'kept'],
    ['the one before, where nobody was told it', [ask(10)], 'broken'],
    ['the one of another move', [ask(10, 'm0')], 'broken'],
  ] as const)('is told by the address that it asks: %s', (_what, lines, verdict) => {
    expect(verdicts(lines, 'tv', moved(emptyTally, 'm1'))).toEqual({ discovery: verdict });
  });

  it('is not told where the document before may still be kept, or where nothing was moved', () => {
    const before = moved(tallyOf([read(0)]), 'm1');
    expect(verdicts([ask(300)], 'tv', before)).toEqual({});
    expect(verdicts([ask(301)], 'tv', before)).toEqual({ discovery: 'broken' });
    expect(verdicts([ask(301)], 'tv', moved(before, null))).toEqual({});
  });
});

describe('a tally of clients', () => {
  it('RR50: has clients that were found alone, so that made-up names push none out', () => {
    const made = Array.from({ length: 500 }, (_, index) => ({
      ...codeLine(index, 'dc·x', { client: `made-up-${index}`, found: false, ...refused('invalid_client') }),
    }));
    const tally = tallyOf([codeLine(0), ...made]);
    expect([...tally.clients.keys()]).toEqual(['tv']);
    const many = Array.from({ length: 100 }, (_, index) =>
      codeLine(index, 'dc·x', { client: `real-${index}` }),
    );
    expect(tallyOf(many).clients.size).toBe(cardKept.clients);
  });

  it('takes what a known client is refused before it is found', () => {
    expect(
      verdicts([codeLine(0), pollLine(5, '500', 'dc·1', { found: false }), pollLine(10, pending)]),
    ).toEqual({
      interval: 'kept',
      one_poll: 'kept',
      back_off: 'broken',
    });
  });

  it('RR54: remembers so many codes, tokens and sign-ins, and judges by the newest', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => [
      codeLine(index * 10, `dc·${index}`),
      pollLine(index * 10 + 5, 'tokens', `dc·${index}`, { said: tokens(index) }),
      refreshLine(index * 10 + 6, index, { said: { ...tokens(index + 5_000) } }),
      requestLine(index * 10 + 7, [`c${index}`, `s${index}`, `n${index}`]),
      exchangeLine(index * 10 + 8, `code·${index}`, `v${index}`, { said: tokens(index + 9_000) }),
    ]).flat();
    const client = tallyOf(lines).clients.get('tv');
    expect(client?.codes.size).toBe(cardKept.codes);
    expect(client?.holdings.tokens.size).toBe(cardKept.tokens);
    expect(client?.holdings.signIns.size).toBe(cardKept.signIns);
    expect([client?.web.challenges.size, client?.web.nonces.size, client?.web.verifiers.size]).toEqual([
      cardKept.signIns,
      cardKept.signIns,
      cardKept.signIns,
    ]);
    expect(verdicts([...lines, refreshLine(20_000, 999, refused('invalid_grant'))])).toMatchObject({
      newest_token: 'broken',
    });
  });

  it('RR55: another client that uses a token says nothing of the one that has it', () => {
    const lines = [
      codeLine(0),
      pollLine(5, 'tokens'),
      { endpoint: 'revocation', at: 10, sent: { token: 'rt·1' } } as const,
      { endpoint: 'member_api', at: 20, client: 'other', bearer: 'at·1' } as const,
      refreshLine(30, 1, { client: 'other', ...refused('invalid_grant') }),
    ];
    expect(verdicts(lines)).toEqual({ interval: 'kept', deleted_tokens: 'kept' });
  });

  it('makes a card of rules that have names of their own', () => {
    expect(new Set(cardRules.map(({ rule }) => rule)).size).toBe(cardRules.length);
    expect(cardOf('tv', null)).toMatchObject({ passed: false, sum: { kept: 0, broken: 0, not_seen: 12 } });
  });
});
