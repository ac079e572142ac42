// The charts that a page of the room shows: what has become of the codes and tokens of its sign-in.
import { authorizationCodeMachine } from '../../../core/grants/authorization-code.ts';
import { deviceCodeMachine } from '../../../core/grants/device-code.ts';
import { refreshTokenMachine } from '../../../core/grants/refresh-token.ts';
import { sha256 } from '../../../core/hash.ts';
import type { AnyMachine } from '../../../core/rehearsal/chart/graph.ts';
import { chartOf, type Life } from '../../../core/rehearsal/chart/svg.ts';
import {
  authorizationCodeLife,
  deviceCodeLife,
  refreshTokenLife,
  type ToldLife,
} from '../../../core/rehearsal/lives.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { findAuthorizationCode } from '../../../storage/grants/authorization-code.ts';
import { findNewestDeviceCode } from '../../../storage/rehearsal/device-code.ts';
import type { Context } from './context.ts';
import { webClientId } from './web/run.ts';
import { word } from './words.ts';

const machines = {
  code: authorizationCodeMachine,
  device: deviceCodeMachine,
  refresh: refreshTokenMachine,
} as const satisfies Readonly<Record<string, AnyMachine>>;
type Kind = keyof typeof machines;

/** A chart, as a template shows it. */
export interface ShownLife {
  readonly kind: Kind;
  readonly svg: string;
  /** What the chart says, for those who do not see it. */
  readonly words: string;
  readonly mark: string;
}

/** The lives of the newest device code of any client, and of a refresh token of that client. */
export async function tvLives(tenant: OpenTenant, context: Context): Promise<readonly ShownLife[]> {
  const { deps, wire } = context;
  const entries = wire.entries(tenant.id);
  const client = deviceCodeLife(entries, null)?.client ?? null;
  if (client === null) return [shown('device', null)];
  const stored = await deps.store.transaction((tx) => findNewestDeviceCode(tx, tenant.id, client));
  const refresh = refreshTokenLife(entries, client);
  return [
    shown('device', deviceCodeLife(entries, stored)),
    ...(refresh === null ? [] : [shown('refresh', refresh)]),
  ];
}

/** The lives of the code that the room's web client came back with, and of its refresh token. */
export async function webLives(tenant: OpenTenant, context: Context): Promise<readonly ShownLife[]> {
  const { deps, rooms, wire } = context;
  const code = rooms.of(tenant.id).web?.callback?.code ?? null;
  if (code === null) return [shown('code', null)];
  const entries = wire.entries(tenant.id);
  const stored = await deps.store.transaction((tx) => findAuthorizationCode(tx, tenant.id, sha256(code)));
  const refresh = refreshTokenLife(entries, webClientId);
  return [
    shown('code', authorizationCodeLife(entries, wire.mask.mark('code', code), stored)),
    ...(refresh === null ? [] : [shown('refresh', refresh)]),
  ];
}

/** @param told null where there is none yet: then nothing of the chart is lit */
function shown(kind: Kind, told: ToldLife | null): ShownLife {
  const machine: AnyMachine = machines[kind];
  if (told === null) {
    const words = word(`lives.${kind}`);
    return { kind, words, mark: '', svg: chartOf(machine, { detail: 'small', label: words }) };
  }
  const { life, mark, client } = told;
  const words = wordsOf(life);
  return {
    kind,
    words,
    mark: client === null ? mark : `${client} · ${mark}`,
    svg: chartOf(machine, { detail: 'small', label: words, life }),
  };
}

function wordsOf({ state, steps }: Life): string {
  const told = steps.map(({ from, event, to }) =>
    from === to ? `${event}: ${to}` : `${event}: ${from} → ${to}`,
  );
  return [...told.filter((step, at) => step !== told[at - 1]), state].join(', ');
}
