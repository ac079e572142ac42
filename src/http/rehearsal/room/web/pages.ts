// The page of the web flow: each step of a sign-in in a browser, with what was sent and what came.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sent } from '../../../../core/rehearsal/explain/rule.ts';
import type { WireEntry } from '../../../../core/rehearsal/wire.ts';
import type { Context } from '../context.ts';
import { webLives } from '../lives.ts';
import { sendRoomPage } from '../page.ts';
import { sharedData } from '../pages.ts';
import { shownEntry } from '../shown.ts';
import { word } from '../words.ts';
import { authorizationOf, callbackUrl, type WebRun, webClientId, webUrl } from './run.ts';

/** GET /rehearsal/web. */
export async function sendWebPage(reply: FastifyReply, context: Context): Promise<FastifyReply> {
  const { request } = reply;
  const run = context.rooms.of(request.tenant.id).web;
  return sendRoomPage(reply, {
    template: 'room/web',
    title: 'title',
    data: {
      ...sharedData(request, context, webUrl),
      lives: await webLives(request.tenant, context),
      steps: stepsOf(request, context, run),
    },
  });
}

/** A step of the flow: what one can do there now, and what was seen of it on the wire. */
interface ShownStep {
  readonly name: string;
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly acts: readonly { readonly name: string; readonly label: string; readonly isMain: boolean }[];
  readonly links: readonly { readonly href: string; readonly label: string; readonly isMain: boolean }[];
  /** What the client knows, by keys of labels; how each turned out where it was looked at. */
  readonly facts: readonly { readonly label: string; readonly text: string; readonly fits: boolean | null }[];
  readonly entries: readonly ReturnType<typeof shownEntry>[];
}

interface Seen {
  readonly request: FastifyRequest;
  readonly context: Context;
  readonly run: WebRun | null;
  readonly entries: readonly WireEntry[];
}

function stepsOf(request: FastifyRequest, context: Context, run: WebRun | null): readonly ShownStep[] {
  const entries = context.wire.entries(request.tenant.id);
  const seen: Seen = { request, context, run, entries };
  const steps = [begin, signIn, comeBack, exchange, ask, refresh, revoke, logOut].map((step) => step(seen));
  const next = steps.findIndex(({ isDone }) => !isDone);
  return steps.map((step, at) => {
    const isNext = at === next;
    const first = (isMain: boolean, index: number) => isNext && isMain && index === 0;
    return {
      ...step,
      isNext,
      acts: step.acts.map((act, index) => ({ ...act, isMain: first(act.isMain, index) })),
      links: step.links.map((link, index) => ({ ...link, isMain: first(link.isMain, index) })),
    };
  });
}

const act = (name: string, isMain = false, label = name) => ({
  name,
  label: word(`web.do.${label}`),
  isMain,
});
const nothing = { acts: [], links: [], facts: [], entries: [], isNext: false } as const;

function begin({ run, context }: Seen): ShownStep {
  const { mask } = context.wire;
  const kinds = ['verifier', 'challenge', 'state', 'nonce'] as const;
  const facts = run === null ? [] : kinds.map((kind) => [kind, mask.mark(kind, run[kind])] as const);
  return {
    ...nothing,
    name: 'begin',
    isDone: run !== null,
    acts: [act('begin', true)],
    facts: facts.map(([label, text]) => ({ label, text, fits: null })),
  };
}

function signIn({ run, request, context, entries }: Seen): ShownStep {
  if (run === null) return { ...nothing, name: 'signIn', isDone: false };
  const asked = authorizationOf(run, request.tenant);
  const href = `${run.endpoints.authorization}?${new URLSearchParams(asked)}`;
  const elsewhere = { ...asked, redirect_uri: `${asked.redirect_uri}/elsewhere` };
  const mark = context.wire.mask.mark('challenge', run.challenge);
  const own = entries.filter(
    (entry) => entry.endpoint === 'authorization' && sent({ entry }, 'code_challenge') === mark,
  );
  return {
    ...nothing,
    name: 'signIn',
    isDone: run.callback !== null,
    links: [
      { href, label: word('web.link.signIn'), isMain: true },
      {
        href: `${run.endpoints.authorization}?${new URLSearchParams(elsewhere)}`,
        label: word('web.link.elsewhere'),
        isMain: false,
      },
    ],
    facts: Object.entries(asked)
      .filter(([name]) => !['code_challenge', 'state', 'nonce'].includes(name))
      .map(([label, text]) => ({ label, text, fits: null })),
    entries: shownOf(own, entries),
  };
}

function comeBack({ run, request, context }: Seen): ShownStep {
  const callback = run?.callback ?? null;
  const forged = new URLSearchParams({ code: 'forged', state: 'forged', iss: request.tenant.issuer });
  return {
    ...nothing,
    name: 'back',
    isDone: callback?.code !== null && callback !== null,
    links:
      run === null || run.tokens !== null
        ? []
        : [{ href: `${callbackUrl}?${forged}`, label: word('web.link.forged'), isMain: false }],
    facts:
      callback === null
        ? []
        : [
            {
              label: callback.error === null ? 'code' : 'error',
              text:
                callback.error ??
                (callback.code === null
                  ? word('web.thrownAway')
                  : context.wire.mask.mark('code', callback.code)),
              fits: callback.error === null ? null : false,
            },
            {
              label: 'state',
              text: word(callback.stateFits ? 'web.fits.given' : 'web.differs'),
              fits: callback.stateFits,
            },
            {
              label: 'iss',
              text: word(callback.issuerFits ? 'web.fits.iss' : 'web.differs'),
              fits: callback.issuerFits,
            },
          ],
  };
}

function exchange(seen: Seen): ShownStep {
  const { run } = seen;
  const mayExchange = typeof run?.callback?.code === 'string';
  const again = (run?.references.exchange.length ?? 0) > 0;
  const acts = [act('exchange', true, again ? 'exchangeAgain' : 'exchange'), act('exchangeWrong')];
  return {
    ...nothing,
    name: 'exchange',
    isDone: run !== null && (run.tokens !== null || run.references.exchange.length > 0),
    acts: mayExchange ? acts : [],
    entries: answeredIn(seen, 'exchange'),
  };
}

function ask(seen: Seen): ShownStep {
  const { run } = seen;
  return {
    ...nothing,
    name: 'ask',
    isDone: run !== null && run.references.ask.length > 0,
    acts: run?.tokens === null || run === null ? [] : [act('ask', true)],
    entries: answeredIn(seen, 'ask'),
  };
}

function refresh(seen: Seen): ShownStep {
  const { run } = seen;
  const tokens = run?.tokens ?? null;
  const replay = tokens?.oldRefreshToken === null ? [] : [act('replay')];
  return {
    ...nothing,
    name: 'refresh',
    isDone: run !== null && run.references.refresh.length > 0,
    acts: tokens === null ? [] : [act('refresh', true), ...replay, act('refreshTwice')],
    entries: answeredIn(seen, 'refresh'),
  };
}

function revoke(seen: Seen): ShownStep {
  const { run } = seen;
  return {
    ...nothing,
    name: 'revoke',
    isDone: run !== null && run.references.revoke.length > 0,
    acts: run?.tokens === null || run === null ? [] : [act('revoke', true)],
    entries: answeredIn(seen, 'revoke'),
  };
}

function logOut({ run, request, entries }: Seen): ShownStep {
  const own = entries.filter((entry) => entry.endpoint === 'logout' && entry.client === webClientId);
  const address = new URLSearchParams({
    client_id: webClientId,
    post_logout_redirect_uri: `${request.tenant.issuer}${webUrl}`,
  });
  return {
    ...nothing,
    name: 'logOut',
    isDone: own.length > 0,
    links:
      run === null
        ? []
        : [{ href: `${run.endpoints.endSession}?${address}`, label: word('web.link.logOut'), isMain: true }],
    entries: shownOf(own.slice(-1), entries),
  };
}

function answeredIn({ run, entries }: Seen, step: keyof WebRun['references']): ShownStep['entries'] {
  const references = run?.references[step] ?? [];
  return shownOf(
    entries.filter(({ reference }) => references.includes(reference)),
    entries,
  );
}

const shownOf = (own: readonly WireEntry[], log: readonly WireEntry[]) =>
  own.map((entry) => shownEntry(entry, log));
