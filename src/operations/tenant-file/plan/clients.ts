// Plans the clients of a tenant.
import type { Client } from '../../../core/client.ts';
import type { FieldChange } from '../../../core/operators/audit-event.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { secretIdOf } from '../../admin/clients/client.ts';
import { describeClient } from '../export.ts';
import { each, type FileClient } from '../tenant-file.ts';
import { call, type Kind, type PlannedCall, type Planning } from './entry.ts';

export const clientsOf = ({ tell, force }: Planning): Kind<'clients'> => ({
  noun: 'client',
  section: 'clients',
  by: 'clientId',
  describe: describeClient,
  factsOf: ({ secretHash: _hash, logoFile: _file, ...facts }) => facts,
  moreFields: secretChanges,
  add: (client, at) => {
    const { clientId, name, type, deviceFlow = false, disabled = false } = client;
    const secretHash = each(client.secretHash);
    return [
      call('clients.load', { ...settingsOf(client), clientId, name, type, secretHash }),
      ...(deviceFlow ? [setDeviceFlow(clientId, true, force, at)] : []),
      ...(disabled ? [call('clients.disable', { clientId })] : []),
    ];
  },
  change: (client, known, at, fields) => {
    if (client.type !== known.type) {
      tell(problem([...at, 'type'], 'client_type_fixed', { type: known.type }));
      return [];
    }
    const { clientId, name, deviceFlow = false, disabled = false } = client;
    const changed = new Set(fields.map(({ field }) => field));
    const secretHash = each(client.secretHash);
    return [
      ...(fields.every(({ field }) => apart.includes(field))
        ? []
        : [call('clients.change', { ...settingsOf(client), clientId, name })]),
      ...(changed.has('secrets') ? [call('clients.setSecrets', { clientId, secretHash })] : []),
      ...(changed.has('deviceFlow') ? [setDeviceFlow(clientId, deviceFlow, force, at)] : []),
      ...(changed.has('disabled')
        ? [call(disabled ? 'clients.disable' : 'clients.enable', { clientId })]
        : []),
    ];
  },
  end: {
    note: 'disabled',
    calls: ({ clientId }) => [call('clients.disable', { clientId })],
    isOver: ({ disabledAt }) => disabledAt !== null,
  },
});

/** What operations of their own change. */
const apart = ['secrets', 'deviceFlow', 'disabled'];

function setDeviceFlow(clientId: string, enabled: boolean, force: boolean, at: Path): PlannedCall {
  return { ...call('clients.setDeviceFlow', { clientId, enabled, force }), at: [...at, 'deviceFlow'] };
}

/** What a file says of a client that has a field of that name. */
function settingsOf(client: FileClient): object {
  const { clientId: _id, name: _name, type: _type, secretHash: _hash, logoFile: _file, ...rest } = client;
  const { deviceFlow: _flow, disabled: _disabled, ...settings } = rest;
  return settings;
}

/** Secrets are named by their ids alone (A18), and their order says nothing. */
function secretChanges({ secretHash }: FileClient, { secrets }: Client): readonly FieldChange[] {
  const hashes = each(secretHash);
  const before = secrets.map(({ hash }) => hash);
  const isSame = hashes.length === before.length && hashes.every((hash) => before.includes(hash));
  if (hashes.length === 0 || isSame) return [];
  const shown = (list: readonly string[]) =>
    list.map((hash) => secretIdOf({ hash, createdAt: 0 })).join(', ');
  return [{ field: 'secrets', from: shown(before), to: shown(hashes) }];
}
