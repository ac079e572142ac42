/** The form that registers a client: what is built, what it is called, where it runs, and what follows from these. */

import {
  type ClientKind,
  clientKinds,
  followingFrom,
  kindRules,
} from '../../../../../core/oidc/client/kind.ts';
import { say } from '../../../../../text/portal.ts';
import type { Form } from '../../../../form.ts';
import { mayCall } from '../../../call.ts';
import { operationNamed } from '../../addresses.ts';
import type { OperationVisit } from '../../visitor.ts';
import type { Again, OwnForm } from '../own.ts';
import type { FormValues } from '../read.ts';
import { inUnits, unitName } from '../units.ts';

/** What most people build; another kind is one press away. */
const first: ClientKind = 'website';

export const newClientForm: OwnForm = {
  template: 'client/new',
  title: () => say('newClient.title'),
  begin: (_visit, values) => new Map([...values, ['kind', [first]]]),
  about: (visit, values) => ({
    kinds: clientKinds.map((kind) => ({
      kind,
      /** Whether its fields are asked where it runs. */
      isPlaced: kindRules[kind].addresses !== null,
      ...follows(visit, kind, values),
    })),
  }),
  again: (form) => (form.get('step')?.[0] === 'rest' ? filledIn(form) : null),
};

/** A piece of the sentence on what follows: words, or an address with the pattern that it is made of. */
type Piece = { readonly text: string } | { readonly code: string; readonly pattern: string };

/** Marks where an address stands in the sentence: characters that are in no text. */
const [opening, closing] = ['\uE000', '\uE001'];
const mark = (place: string) => `${opening}${place}${closing}`;

/** What follows from a kind and the address that was typed; with an ellipsis where none was. */
function follows(visit: OperationVisit, kind: ClientKind, values: FormValues) {
  const { addresses, home, keepsPath } = kindRules[kind];
  const following = followingFrom(kind, values.get('address')?.at(-1) ?? '');
  const settings = following.ok ? following.settings : null;
  const places = {
    redirect: { pattern: addresses?.redirectUris[0], now: settings?.redirectUris[0] },
    after: { pattern: addresses?.postLogoutRedirectUris[0], now: settings?.postLogoutRedirectUris[0] },
    origin: { pattern: addresses?.webOrigins[0], now: settings?.webOrigins[0] },
  };
  const text = say(`newClient.follows.${kind}`, {
    redirect: mark('redirect'),
    after: mark('after'),
    origin: mark('origin'),
    flow: mayTurnOn(visit) ? 'on' : 'asked',
  });
  const pieces = text.split(/[\uE000\uE001]/).map((part, index): Piece => {
    if (index % 2 === 0) return { text: part };
    const { pattern = '', now } = places[part as keyof typeof places];
    return { code: now ?? pattern.replace(/\{\w+\}/, '…'), pattern };
  });
  return { pieces, home, keepsPath };
}

/** Whether the administrator may turn a device flow on. */
function mayTurnOn(visit: OperationVisit): boolean {
  const operation = operationNamed(visit, 'clients.setDeviceFlow');
  return operation !== null && mayCall(visit, operation);
}

/** The form with everything that follows in the fields that were left empty. */
function filledIn(form: Form): Again {
  const textOf = (name: string) => form.get(name)?.at(-1)?.trim() ?? '';
  const kind = clientKinds.find((one) => one === textOf('kind')) ?? first;
  const following = followingFrom(kind, textOf('address'));
  if (!following.ok) return { values: form, problems: [following.problem] };
  const { settings } = following;
  const idle = inUnits(settings.refreshTokenIdle / 1_000);
  const absolute = inUnits(settings.refreshTokenAbsolute / 1_000);
  const rest: FormValues = new Map([
    ['redirectUris', settings.redirectUris],
    ['postLogoutRedirectUris', settings.postLogoutRedirectUris],
    ['webOrigins', settings.webOrigins],
    ['refreshTokenIdleSeconds', [idle.count]],
    [unitName('refreshTokenIdleSeconds'), [idle.unit]],
    ['refreshTokenAbsoluteSeconds', [absolute.count]],
    [unitName('refreshTokenAbsoluteSeconds'), [absolute.unit]],
  ]);
  const values = new Map(form);
  for (const [name, filling] of rest) {
    // A unit is always said: it goes with its number.
    if (textOf(name.replace(/:unit$/, '')) === '') values.set(name, filling);
  }
  return { values, problems: [] };
}
