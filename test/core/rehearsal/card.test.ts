import { describe, expect, it } from 'vitest';
import { cardOf } from '../../../src/core/rehearsal/card/card.ts';
import type { RuleName } from '../../../src/core/rehearsal/card/rules.ts';
import { emptyTally, taken } from '../../../src/core/rehearsal/card/tally.ts';
import type { WireEntry } from '../../../src/core/rehearsal/wire.ts';
import {
  codeLine,
  exchangeLine,
  type Line,
  pollLine,
  refreshLine,
  refused,
  tallyOf,
  tokens,
  verdicts,
  wireLog,
} from '../../support/rehearsal/wire-log.ts';

const pending = 'authorization_pending';

const says = (lines: readonly Line[], name: RuleName) =>
  cardOf('tv', tallyOf(lines).clients.get('tv') ?? null).rules.find(({ rule }) => rule === name);

describe('how a client polls (contract, "POST /api/oidc/token")', () => {
  it.each([
    ['waited, by a second less at most', [codeLine(0), pollLine(4, pending)], { interval: 'kept' }],
    ['came at once', [codeLine(0), pollLine(3.9, pending)], { interval: 'broken' }],
    [
      'came too early later',
      [codeLine(0), pollLine(5, pending), pollLine(7, pending)],
      { interval: 'broken', one_poll: 'kept' },
    ],
    [
      'waited longer after slow_down, once',
      [codeLine(0), pollLine(5, 'slow_down'), pollLine(15, pending), pollLine(20, pending)],
      { interval: 'kept', one_poll: 'kept', slow_down: 'broken' },
    ],
    [
      'waited by both of two',
      [codeLine(0), pollLine(5, 'slow_down'), pollLine(15, 'slow_down'), pollLine(30, pending)],
      { interval: 'kept', one_poll: 'kept', slow_down: 'kept' },
    ],
    [
      'doubled twice, and came as before when all was well',
      [codeLine(0), pollLine(5, '500'), pollLine(15, '503'), pollLine(35, pending), pollLine(40, pending)],
      { interval: 'kept', one_poll: 'kept', back_off: 'kept' },
    ],
    [
      'doubled once only',
      [codeLine(0), pollLine(5, '500'), pollLine(15, '503'), pollLine(25, pending)],
      { interval: 'kept', one_poll: 'kept', back_off: 'broken' },
    ],
    [
      'went on as before after a page where JSON should be',
      [codeLine(0), pollLine(5, '200'), pollLine(10, pending)],
      { interval: 'kept', one_poll: 'kept', back_off: 'broken' },
    ],
    [
      'came before Retry-After was over',
      [codeLine(0), pollLine(5, '429', 'dc·1', { retryAfter: 30 }), pollLine(15, pending)],
      { interval: 'kept', one_poll: 'kept', back_off: 'broken' },
    ],
    [
      'polled on with its tokens',
      [codeLine(0), pollLine(5, 'tokens'), pollLine(10, 'invalid_grant')],
      { interval: 'kept', stop: 'broken' },
    ],
    [
      'did not hear that it had tokens, and asked again',
      [codeLine(0), pollLine(5, 'tokens', 'dc·1', { isLost: true }), pollLine(15, 'invalid_grant')],
      { interval: 'kept', one_poll: 'kept', back_off: 'kept', stop: 'kept' },
    ],
    [
      'had two polls under way',
      [
        codeLine(0),
        pollLine(5, pending, 'dc·1', { until: 6 }),
        pollLine(5.5, 'slow_down', 'dc·1', { until: 7 }),
      ],
      { interval: 'kept', one_poll: 'broken' },
    ],
    [
      'hung up on a late answer, and doubled from there',
      [codeLine(0), pollLine(5, pending, 'dc·1', { hungUp: 15, until: 30 }), pollLine(25, pending)],
      { interval: 'kept', one_poll: 'kept' },
    ],
  ] as const)('of one that %s', (_what, lines, expected) => {
    expect(verdicts(lines)).toEqual(expected);
  });

  it('two TVs of one client are no two polls', () => {
    const lines = [
      codeLine(0),
      codeLine(0, 'dc·2'),
      pollLine(5, pending, 'dc·1', { until: 7 }),
      pollLine(6, pending, 'dc·2', { until: 8 }),
    ];
    expect(verdicts(lines)).toEqual({ interval: 'kept' });
  });

  it('says nothing of a wait during which the clock was set back, or of a code that was given before', () => {
    const [given, polled] = wireLog(codeLine(900), pollLine(905, pending));
    const setBack = { ...polled, at: 5_000, answeredAt: 5_000 } as WireEntry;
    const { clients } = [given as WireEntry, setBack].reduce(taken, emptyTally);
    expect(cardOf('tv', clients.get('tv') ?? null).sum).toEqual({ kept: 0, broken: 0, not_seen: 12 });
    expect(verdicts([pollLine(5, pending), pollLine(6, pending)])).toEqual({ one_poll: 'kept' });
  });

  it('says what was seen, where, how often, and what to do', () => {
    const lines = [codeLine(0), pollLine(0.5, pending), pollLine(1, 'slow_down')];
    const rule = says(lines, 'interval');
    expect(rule).toMatchObject({
      verdict: 'broken',
      count: 2,
      says: 'Polled 0.5 seconds after the last answer, where the interval is 5 seconds: wait that long before the first poll, and before each one after it.',
      entries: [
        { at: 500, endpoint: 'token', status: 400, error: pending },
        { at: 1_000, endpoint: 'token', status: 400, error: 'slow_down' },
      ],
    });
  });
});

describe('how a client treats its tokens', () => {
  const begin = [codeLine(0), pollLine(5, 'tokens')];
  const revoke = (at: number, number: number): Line => ({
    endpoint: 'revocation',
    at,
    sent: { token: `rt·${number}`, token_type_hint: 'refresh_token' },
  });
  const use = (at: number, number: number): Line => ({
    endpoint: 'member_api',
    at,
    client: null,
    bearer: `at·${number}`,
  });

  it.each([
    [
      'refreshed by turns',
      [refreshLine(10, 1), refreshLine(20, 2)],
      { one_refresh: 'kept', newest_token: 'kept' },
    ],
    [
      'sent one twice at once, and was refused first',
      [
        refreshLine(10, 1, { until: 12 }),
        refreshLine(11, 1, { ...refused('invalid_grant'), until: 11.5 }),
        use(13, 2),
      ],
      { one_refresh: 'broken' },
    ],
    [
      'sent one again that was replaced',
      [refreshLine(10, 1), refreshLine(20, 1, refused('invalid_grant'))],
      { one_refresh: 'kept', newest_token: 'broken' },
    ],
    ['has a replay window', [refreshLine(10, 1), refreshLine(20, 1)], { one_refresh: 'kept' }],
    [
      'did not hear the answer, and sent it again',
      [refreshLine(10, 1, { isLost: true }), refreshLine(20, 1, refused('invalid_grant'))],
      {},
    ],
    [
      'refreshed before Retry-After was over',
      [
        refreshLine(10, 1, { ...refused('temporarily_unavailable'), status: 429, retryAfter: 30 }),
        refreshLine(20, 1),
      ],
      { one_refresh: 'kept', back_off: 'broken' },
    ],
    [
      'obeyed Retry-After',
      [
        refreshLine(10, 1, { ...refused('temporarily_unavailable'), status: 429, retryAfter: 30 }),
        refreshLine(40, 1),
      ],
      { one_refresh: 'kept', back_off: 'kept' },
    ],
    ['revoked and was silent', [revoke(10, 1)], { deleted_tokens: 'kept' }],
    [
      'revoked one that was replaced',
      [refreshLine(10, 1), revoke(20, 1)],
      { one_refresh: 'kept', newest_token: 'broken' },
    ],
    ['used its access token after that', [revoke(10, 1), use(20, 1)], { deleted_tokens: 'broken' }],
    [
      'had asked for something when it revoked',
      [{ ...use(9, 1), until: 11 }, revoke(10, 1)],
      { deleted_tokens: 'kept' },
    ],
    [
      'refreshed after that',
      [revoke(10, 1), refreshLine(20, 1, refused('invalid_grant'))],
      { deleted_tokens: 'broken' },
    ],
    [
      'went on when a refresh was refused',
      [refreshLine(10, 1, refused('invalid_grant')), use(20, 1)],
      { deleted_tokens: 'broken' },
    ],
  ] as const)('of one that %s', (_what, lines, expected) => {
    expect(verdicts([...begin, ...lines])).toEqual({ interval: 'kept', ...expected });
  });

  it('a logout ends what the client has of that browser, and nothing of a TV or of another browser', () => {
    const web = (at: number, number: number, sid: string) =>
      exchangeLine(at, `code·${number}`, `verifier·${number}`, { said: tokens(number), sid });
    const logout = { endpoint: 'logout', at: 30, status: 303, ended: 'one' } as const;
    const tv = [codeLine(0), pollLine(5, 'tokens', 'dc·1', { said: tokens(7), sid: 'one' })];
    const signIns = [...tv, web(10, 10, 'one'), web(20, 20, 'two'), logout];
    const quiet = { interval: 'kept', fresh_verifier: 'kept', deleted_tokens: 'kept' };
    expect(verdicts([...signIns, use(40, 7), use(40, 20)])).toEqual(quiet);
    expect(verdicts([...signIns, use(40, 10)])).toEqual({ ...quiet, deleted_tokens: 'broken' });
    expect(
      verdicts([...signIns.slice(0, -1), { ...logout, client: 'other' }, use(40, 10)]),
    ).not.toHaveProperty('deleted_tokens');
  });
});
