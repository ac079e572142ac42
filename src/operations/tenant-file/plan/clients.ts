import type { Client, ClientSecret } from '../../../core/client.ts';
import { nameProblem } from '../../../core/members/details.ts';
import { changesOf, secretIdOf } from '../../admin/clients/client-answer.ts';
import { changeClient, disableClient, registerClient, setDeviceFlow } from '../../client/client.ts';
import { problemText } from '../../problem-text.ts';
import { describeClient } from '../describe.ts';
import { type FieldChange, fieldChanges } from '../difference.ts';
import type { Path } from '../source.ts';
import type { Stored } from '../stored.ts';
import { each, type FileClient, type FileTenant } from '../tenant-file.ts';
import { type Doing, type Planning, type Step, stepsFor, type Target } from './step.ts';

/** Plans the clients of a tenant. */
export function planClients(
  planning: Planning,
  target: Target,
  file: FileTenant,
  stored: Stored,
): readonly Step[] {
  const { clients: given } = file;
  if (given === undefined) return [];
  const { missing } = stepsFor(target, 'client', 'clients:write');
  const steps = given.flatMap((client, index) => {
    const at: Path = [...target.at, 'clients', index];
    const known = stored.clients.find(({ clientId }) => clientId === client.clientId);
    return known === undefined
      ? newClient(planning, target, at, client)
      : sameClient(planning, target, at, client, known);
  });
  const left = stored.clients.filter(
    ({ clientId, disabledAt }) => disabledAt === null && !given.some((one) => one.clientId === clientId),
  );
  return [
    ...steps,
    ...left.map(({ clientId }) => {
      const end = async ({ tx, now }: Doing) => {
        await disableClient(tx, target.tenant.id, clientId, now);
        return clientId;
      };
      return missing(clientId, target.at, 'disabled', planning.prune ? end : null);
    }),
  ];
}

function newClient(planning: Planning, target: Target, at: Path, client: FileClient): readonly Step[] {
  const { problem } = planning;
  const { clientId, type, deviceFlow = false } = client;
  checkName(planning, at, client.name);
  if (type === 'confidential' && each(client.secretHash).length === 0) {
    problem(at, 'a confidential client needs a secret: give secretFile, secretEnv or secretHash');
  }
  const { added } = stepsFor(target, 'client', 'clients:write');
  const register = async ({ tx, now }: Doing) => {
    const registration = {
      ...settingsOf(client),
      clientId,
      name: client.name,
      type,
      deviceFlow,
      disabledAt: client.disabled === true ? now : null,
      secretHashes: each(client.secretHash),
    };
    await registerClient(tx, target.tenant.id, registration, now);
    return clientId;
  };
  return [{ ...added(clientId, at, register), isForSystem: deviceFlow }];
}

function sameClient(
  planning: Planning,
  target: Target,
  at: Path,
  client: FileClient,
  known: Client,
): readonly Step[] {
  const { clientId } = client;
  if (client.name !== known.name) checkName(planning, at, client.name);
  if (client.type !== known.type) {
    planning.problem(
      [...at, 'type'],
      `the client is ${known.type}, and stays so: another kind is another client`,
    );
    return [];
  }
  const { secretHash, logoFile: _file, ...given } = client;
  const fields = [
    ...fieldChanges({ ...describeClient(known) }, { ...given }),
    ...secretChanges(known, each(secretHash)),
  ];
  if (fields.length === 0) return [];
  const { changed } = stepsFor(target, 'client', 'clients:write');
  const isFlow = fields.some(({ field }) => field === 'deviceFlow');
  const step = changed(clientId, at, fields, (doing) => alterClient(doing, target, client, known));
  return [{ ...step, isForSystem: isFlow }];
}

/** A name that stays is left alone: it may be older than what names are held to now. */
function checkName({ problem }: Planning, at: Path, name: string): void {
  const found = nameProblem(name);
  if (found !== null) problem([...at, 'name'], problemText(found));
}

async function alterClient(
  { tx, now }: Doing,
  target: Target,
  client: FileClient,
  known: Client,
): Promise<string> {
  const { id: tenantId } = target.tenant;
  const { clientId, deviceFlow, disabled, name } = client;
  const hashes = each(client.secretHash);
  await changeClient(tx, tenantId, clientId, {
    ...settingsOf(client),
    name,
    ...(hashes.length === 0 ? {} : { secrets: secretsWith(hashes, known, now) }),
    ...(disabled === false ? { disabledAt: null } : {}),
  });
  if (deviceFlow !== undefined && deviceFlow !== known.deviceFlow) {
    await setDeviceFlow(tx, tenantId, clientId, deviceFlow);
  }
  if (disabled === true) await disableClient(tx, tenantId, clientId, now);
  return clientId;
}

/** What a file says of a client that has a field of that name. */
function settingsOf(client: FileClient): Omit<ReturnType<typeof changesOf>, 'name'> {
  const { clientId: _id, name: _name, type: _type, secretHash: _hash, logoFile: _file, ...rest } = client;
  const { deviceFlow: _flow, disabled: _disabled, ...settings } = rest;
  return changesOf(settings);
}

/** A secret that was there keeps its age. */
function secretsWith(hashes: readonly string[], known: Client, now: number): readonly ClientSecret[] {
  const secrets = hashes.map(
    (hash) => known.secrets.find((secret) => secret.hash === hash) ?? { hash, createdAt: now },
  );
  return secrets.toSorted((a, b) => a.createdAt - b.createdAt);
}

/** Secrets are named by their ids alone (A18), and their order says nothing. */
function secretChanges({ secrets }: Client, hashes: readonly string[]): readonly FieldChange[] {
  const before = secrets.map(({ hash }) => hash);
  const isSame = hashes.length === before.length && hashes.every((hash) => before.includes(hash));
  if (hashes.length === 0 || isSame) return [];
  const shown = (list: readonly string[]) =>
    list.map((hash) => secretIdOf({ hash, createdAt: 0 })).join(', ');
  return [{ field: 'secrets', from: shown(before), to: shown(hashes) }];
}
