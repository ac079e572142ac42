// Plans the clients of a tenant.
import type { Client } from '../../../core/client.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { secretIdOf } from '../../admin/clients/client-answer.ts';
import { describeClient } from '../describe.ts';
import type { FieldChange } from '../difference.ts';
import { each, type Facts, type FileClient } from '../tenant-file.ts';
import { call, type Entry, type PlannedCall, type Planning, type Target } from './entry.ts';
import { type Kind, planList } from './list.ts';

export function planClients(planning: Planning, target: Target): readonly Entry[] {
  const { file, stored } = target;
  return planList(planning, target, { given: file.clients, stored: stored.clients }, clients(planning));
}

const clients = ({ tell, force }: Planning): Kind<FileClient, Client> => ({
  noun: 'client',
  section: 'clients',
  nameOf: ({ clientId }) => clientId,
  knownAs: ({ clientId }) => clientId,
  describe: (known) => ({ ...describeClient(known) }),
  factsOf: ({ secretHash: _hash, logoFile: _file, ...facts }) => facts,
  moreFields: secretChanges,
  add: (client, at) => {
    const { clientId, name, type } = client;
    const { deviceFlow = false, disabled = false } = client;
    return [
      call('clients.load', {
        ...settingsOf(client),
        clientId,
        name,
        type,
        secretHash: each(client.secretHash),
      }),
      ...(deviceFlow ? [setDeviceFlow(clientId, true, force, at)] : []),
      ...(disabled ? [call('clients.disable', { clientId })] : []),
    ];
  },
  change: (client, known, at, fields) => {
    if (client.type !== known.type) {
      tell(problem([...at, 'type'], 'client_type_fixed', { type: known.type }));
      return [];
    }
    const { clientId, name, deviceFlow, disabled } = client;
    const apart = ['secrets', 'deviceFlow', 'disabled'];
    const isOther = (field: string) => fields.some((change) => change.field === field);
    return [
      ...(fields.some(({ field }) => !apart.includes(field))
        ? [call('clients.change', { ...settingsOf(client), clientId, name })]
        : []),
      ...(isOther('secrets')
        ? [call('clients.setSecrets', { clientId, secretHash: each(client.secretHash) })]
        : []),
      ...(isOther('deviceFlow') ? [setDeviceFlow(clientId, deviceFlow === true, force, at)] : []),
      ...(isOther('disabled')
        ? [call(disabled === true ? 'clients.disable' : 'clients.enable', { clientId })]
        : []),
    ];
  },
  end: {
    note: 'disabled',
    calls: ({ clientId }) => [call('clients.disable', { clientId })],
    isOver: ({ disabledAt }) => disabledAt !== null,
  },
});

function setDeviceFlow(clientId: string, enabled: boolean, force: boolean, at: Path): PlannedCall {
  return { ...call('clients.setDeviceFlow', { clientId, enabled, force }), at: [...at, 'deviceFlow'] };
}

/** What a file says of a client that has a field of that name. */
function settingsOf(client: FileClient): Facts {
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
