// Why a member cannot sign in, in one sentence each, with the buttons that help.

import type { Hindrance } from '../../../../../core/members/sign-in-standing.ts';
import { say, sayIfKnown } from '../../../../../text/portal.ts';
import { addressOf, operationNamed } from '../../addresses.ts';
import { type Button, buttonFor } from '../../buttons.ts';
import type { Facts, OperationVisit } from '../../visitor.ts';
import { called, moment, nearby, type Piece, piecesOf } from '../../words/pieces.ts';

/** What stands in the way, as its card shows it. */
export interface Call {
  readonly isBad: boolean;
  readonly title: readonly Piece[];
  /** What is known of it, a sentence each. */
  readonly lines: readonly (readonly Piece[])[];
  readonly buttons: readonly Button[];
}

/** As `members.read` answers it. */
interface Standing {
  readonly hindrances: readonly Stands[];
  readonly lastSignInAt: string | null;
}

interface Stands extends Pick<Hindrance, 'hindrance' | 'keepsOut' | 'counted'> {
  readonly until: string | null;
  readonly since: string | null;
  readonly addresses: readonly string[];
  readonly places: readonly string[];
  readonly helpedBy: readonly string[];
}

/** A card for each thing that stands in a member's way; none where all is well. */
export function callsOf(visit: OperationVisit, member: Facts): readonly Call[] {
  const { hindrances, lastSignInAt } = member.standing as Standing;
  const name = called(String(member.fullName));
  const now = visit.deps.clock();
  return hindrances.map((one) => ({
    isBad: one.keepsOut,
    title: piecesOf(`standing.${one.hindrance}`, { name, ...timesOf(one, now) }),
    lines: [...guessesOf(one, now), ...moreOf(one, lastSignInAt)],
    buttons: helpsOf(visit, one, member),
  }));
}

const timesOf = ({ until, since }: Stands, now: number): Readonly<Record<string, Piece>> => ({
  ...(until === null ? {} : { until: nearby(until, now) }),
  ...(since === null ? {} : { since: nearby(since, now) }),
});

/** How many wrong guesses there were, and from where. */
function guessesOf(one: Stands, now: number): readonly (readonly Piece[])[] {
  const { counted, addresses, places, since } = one;
  if (counted === null) return [];
  const values = {
    count: counted,
    from: addresses.length,
    placed: places.length === 0 ? 'no' : 'yes',
    places: new Intl.ListFormat('en').format(places),
    dated: since === null ? 'no' : 'yes',
  };
  return [piecesOf(`standing.${one.hindrance}.counted`, timesOf(one, now), values)];
}

function moreOf({ hindrance }: Stands, lastSignInAt: string | null): readonly (readonly Piece[])[] {
  const isOfPasswords = hindrance === 'wrong_passwords';
  const last = lastSignInAt === null ? null : { last: moment(lastSignInAt) };
  return [
    ...(isOfPasswords && last !== null ? [piecesOf('standing.last', last)] : []),
    ...(sayIfKnown(`standing.${hindrance}.more`) === null
      ? []
      : [piecesOf(`standing.${hindrance}.more`, {})]),
  ];
}

function helpsOf(visit: OperationVisit, { hindrance, helpedBy }: Stands, member: Facts): readonly Button[] {
  return helpedBy.flatMap((name) => {
    const operation = operationNamed(visit, name);
    const href = operation === null ? null : addressOf(operation, visit.known);
    if (operation === null || href === null) return [];
    const label = sayIfKnown(`standing.${hindrance}.${name}`) ?? say(`standing.${name}`);
    return buttonFor(visit, operation, member, href).map((button) => withLabel(button, label));
  });
}

function withLabel(button: Button, label: string): Button {
  const press = button.press;
  const buttons = press?.buttons.map((one) => ({ ...one, label })) ?? [];
  return { ...button, label, isMain: false, press: press === null ? null : { ...press, buttons } };
}
