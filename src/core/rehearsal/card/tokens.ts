/** How a client treats its tokens: one refresh at a time, the newest one kept, and none after the end. */
import { pollTolerance } from '../../limits.ts';
import { seconds } from '../explain/rule.ts';
import { cardKept } from '../limits.ts';
import type { WireEntry } from '../wire.ts';
import { broken, type Finding, type Judged, kept } from './rules.ts';
import {
  granted,
  isGood,
  isTrouble,
  overlap,
  type Placed,
  placed,
  remembered,
  retryAfter,
  type Sighting,
  saidText,
  sent,
} from './sighting.ts';

/** A token of a client, by the sign-in that it is of. */
interface Token {
  readonly signIn: string;
  /** Whether a refresh gave it, and not the beginning of the sign-in. */
  readonly isRotated: boolean;
  /** The last refreshes with it. */
  readonly uses: readonly Placed[];
  /** The answer that gave the next one in its place. */
  readonly replaced: Sighting | null;
  /** When the client may come with it again, as it was told (ms), and the answer that said so. */
  readonly again: { readonly from: number; readonly answer: Sighting } | null;
}

/** Why a client has to delete what it holds of a sign-in. */
type Ending = 'revocation' | 'logout' | 'invalid_grant';

interface SignIn {
  /** The browser's session that it began in; null of a TV's. */
  readonly session: string | null;
  readonly end: { readonly by: Ending; readonly answer: Placed } | null;
}

export interface Holdings {
  /** By their marks. */
  readonly tokens: ReadonlyMap<string, Token>;
  readonly signIns: ReadonlyMap<string, SignIn>;
}

export const nothingHeld: Holdings = { tokens: new Map(), signIns: new Map() };

/** The tokens that a request brings to somewhere else than the token endpoint, by their marks. */
export function broughtTokens(entry: WireEntry): readonly string[] {
  const { authorization = '' } = entry.request.headers;
  const bearer = /^(?:bearer|dpop) (.+)$/i.exec(String(authorization))?.[1];
  const named = ['access_token', 'id_token_hint', 'token'].map((name) => sent(entry, name));
  return [bearer, ...named].filter((mark) => mark !== undefined);
}

/** Takes in an entry of a client. */
export function judgeTokens(holdings: Holdings, entry: WireEntry): Judged<Holdings> {
  switch (entry.endpoint) {
    case 'token':
      return judgeGrant(holdings, entry);
    case 'revocation':
      return judgeRevocation(holdings, entry);
    case 'logout':
      return judgeLogout(holdings, entry);
    case 'userinfo':
    case 'member_api':
      return {
        memory: holdings,
        findings: broughtTokens(entry).flatMap((mark) => lateUse(holdings, mark, entry)),
      };
    default:
      return { memory: holdings, findings: [] };
  }
}

function judgeGrant(holdings: Holdings, entry: WireEntry): Judged<Holdings> {
  const brought = granted(entry);
  if (brought?.grant === 'refresh') return judgeRefresh(holdings, brought.mark, entry);
  if (brought === null || !isGood(entry)) return { memory: holdings, findings: [] };
  // Its end is told by the session's logout, where the tokens came to that browser.
  const session = brought.grant === 'code' ? sessionIn(entry) : null;
  const signIns = remembered(holdings.signIns, brought.mark, { session, end: null }, cardKept.signIns);
  return { memory: withTokens({ ...holdings, signIns }, brought.mark, false, entry), findings: [] };
}

function judgeRefresh(holdings: Holdings, mark: string, entry: WireEntry): Judged<Holdings> {
  const known = holdings.tokens.get(mark);
  const token = known ?? { signIn: mark, isRotated: false, uses: [], replaced: null, again: null };
  const use = placed(entry);
  const beside = token.uses.find((other) => overlap(other, use));
  const late = beside === undefined ? lateUse(holdings, mark, entry) : [];
  const end =
    beside === undefined && !isTrouble(entry) && use.seen.error === 'invalid_grant'
      ? ({ by: 'invalid_grant', answer: use } as const)
      : null;
  const used: Token = {
    ...token,
    uses: [...token.uses, use].slice(-cardKept.uses),
    replaced: token.replaced ?? (isGood(entry) ? use.seen : null),
    again: retryAfter(entry) === 0 ? null : { from: use.over.at + retryAfter(entry), answer: use.seen },
  };
  const tokens = remembered(holdings.tokens, mark, used, cardKept.tokens);
  const begun = beside === undefined ? holdings.signIns : withoutEnd(holdings.signIns, token.signIn, beside);
  const next = withEnd({ signIns: begun, tokens }, [token.signIn], end);
  return {
    memory: isGood(entry) ? withTokens(next, token.signIn, true, entry) : next,
    findings: late.length > 0 ? late : refreshFindings(token, beside, use, entry),
  };
}

/** One of two refreshes at once is refused: its client may have tokens by the other all the same. */
function withoutEnd(signIns: Holdings['signIns'], name: string, refused: Placed): Holdings['signIns'] {
  const signIn = signIns.get(name);
  if (signIn?.end?.answer.seen.id !== refused.seen.id) return signIns;
  return new Map([...signIns, [name, { ...signIn, end: null }]]);
}

function refreshFindings(
  token: Token,
  beside: Placed | undefined,
  use: Placed,
  entry: WireEntry,
): readonly Finding[] {
  if (beside !== undefined) {
    const says =
      'Sent one refresh token twice at the same time: let one refresh run, and all that need it wait for its answer.';
    return [broken('one_refresh', says, beside.seen, use.seen)];
  }
  if (token.replaced !== null) {
    // The operator has given the client a replay window (decision 24).
    if (isGood(entry)) return [];
    const says =
      'Sent a refresh token that had been replaced: keep the new one before the answer is used for anything else.';
    return [broken('newest_token', says, token.replaced, use.seen)];
  }
  const isWell = isGood(entry);
  return [
    ...(token.again === null ? [] : comeAgain(token.again, use)),
    ...(isWell ? [kept('one_refresh', 'Refreshed alone.', use.seen)] : []),
    ...(isWell && token.isRotated
      ? [kept('newest_token', 'Refreshed with the newest token.', use.seen)]
      : []),
  ];
}

function comeAgain({ from, answer }: NonNullable<Token['again']>, use: Placed): readonly Finding[] {
  const early = from - use.seen.at;
  if (early <= pollTolerance) return [kept('back_off', 'Obeyed Retry-After at a refresh.', answer, use.seen)];
  const says = `Refreshed again ${seconds(early)} before Retry-After was over: wait as long as it says.`;
  return [broken('back_off', says, answer, use.seen)];
}

/** A revocation names the newest refresh token (contract, "POST /api/oidc/token/revocation"). */
function judgeRevocation(holdings: Holdings, entry: WireEntry): Judged<Holdings> {
  const mark = sent(entry, 'token') ?? '';
  const token = holdings.tokens.get(mark);
  // The service ends nothing for an access token.
  if (token === undefined || !mark.startsWith('rt') || !isGood(entry))
    return { memory: holdings, findings: [] };
  const answer = placed(entry);
  if (token.replaced !== null) {
    const says = 'Revoked a refresh token that had been replaced: revoke the newest one.';
    return { memory: holdings, findings: [broken('newest_token', says, token.replaced, answer.seen)] };
  }
  return ended(holdings, [token.signIn], { by: 'revocation', answer });
}

/** A browser logout ends what the app has of that browser (contract, "GET /api/oidc/session/end"). */
function judgeLogout(holdings: Holdings, entry: WireEntry): Judged<Holdings> {
  if (entry.ended === null) return { memory: holdings, findings: [] };
  const signIns = [...holdings.signIns].filter(([, { session }]) => session === entry.ended);
  return ended(
    holdings,
    signIns.map(([name]) => name),
    { by: 'logout', answer: placed(entry) },
  );
}

function ended(
  holdings: Holdings,
  signIns: readonly string[],
  end: NonNullable<SignIn['end']>,
): Judged<Holdings> {
  const says = `Has used no token of the sign-in since its ${end.by}.`;
  return {
    memory: withEnd(holdings, signIns, end),
    findings: signIns.length === 0 ? [] : [kept('deleted_tokens', says, end.answer.seen)],
  };
}

/** A token that comes when its sign-in is over, and the client was told so before. */
function lateUse({ tokens, signIns }: Holdings, mark: string, entry: WireEntry): readonly Finding[] {
  const end = signIns.get(tokens.get(mark)?.signIn ?? '')?.end ?? null;
  const use = placed(entry);
  if (end === null || use.came < end.answer.over.place) return [];
  const says = `Used a token of a sign-in that was over (${end.by}): delete all its tokens then, also the access token.`;
  return [broken('deleted_tokens', says, end.answer.seen, use.seen)];
}

/** @param end null where nothing ends; the first end stays */
function withEnd(holdings: Holdings, names: readonly string[], end: SignIn['end']): Holdings {
  if (end === null) return holdings;
  const signIns = names.reduce((all, name) => {
    const signIn = all.get(name) ?? { session: null, end: null };
    return signIn.end === null ? remembered(all, name, { ...signIn, end }, cardKept.signIns) : all;
  }, holdings.signIns);
  return { ...holdings, signIns };
}

/** What an answer gives the client to hold. */
function withTokens(holdings: Holdings, signIn: string, isRotated: boolean, entry: WireEntry): Holdings {
  const tokens = ['access_token', 'id_token', 'refresh_token'].reduce((all, name) => {
    const mark = saidText(entry, name);
    if (mark === undefined || all.has(mark)) return all;
    return remembered(
      all,
      mark,
      { signIn, isRotated, uses: [], replaced: null, again: null },
      cardKept.tokens,
    );
  }, holdings.tokens);
  return { ...holdings, tokens };
}

function sessionIn({ answer: { claims } }: WireEntry): string | null {
  const { id_token: claimed } = claims;
  const sid = typeof claimed === 'object' && claimed !== null && 'sid' in claimed ? claimed.sid : null;
  return typeof sid === 'string' ? sid : null;
}
