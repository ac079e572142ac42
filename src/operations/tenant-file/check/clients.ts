// Checks the clients in a tenant file.
import type { Client } from '../../../core/client.ts';
import type { PictureKind } from '../../../core/members/limits.ts';
import { pictureProblem } from '../../../core/members/picture.ts';
import { apiProblems } from '../../../core/oidc/api.ts';
import { type Path, type Problem, problem } from '../../../core/problem.ts';
import { changesOf } from '../../admin/clients/client.ts';
import { clientDefaults } from '../../client/client.ts';
import { registrationProblems } from '../../client/client-problems.ts';
import {
  foundSecret,
  type PictureField,
  type PictureFile,
  pictureFile,
  type Secret,
  secretsOf,
} from '../references.ts';
import type { FileApi, FileClient, FileTenant } from '../tenant-file.ts';
import { type Checking, entriesAt, tellTwice, tellUnknown } from './checking.ts';

const soundClient: Client = {
  ...clientDefaults,
  tenantId: '',
  clientId: 'client',
  name: 'client',
  type: 'public',
  secrets: [],
};

const soundApi: FileApi = { identifier: 'urn:example:api', name: 'API' };

/** Checks the APIs of a tenant. @returns how they are called; null where the list is left out */
export function checkApis(checking: Checking, path: Path, isDevelopment: boolean): readonly string[] | null {
  const entries = entriesAt<FileApi>(checking, path);
  for (const [index, { at, entry }] of (entries ?? []).entries()) {
    const { scopes = {}, ...facts } = { ...soundApi, ...entry };
    const before = (entries ?? [])
      .slice(0, index)
      .map((other) => ({ ...soundApi, scopes: {}, ...other.entry }));
    const api = { accessTokenAlgorithm: 'ES256', unverifiedClients: false, ...facts, scopes } as const;
    checking.tell(at, ...apiProblems(api, before, isDevelopment));
  }
  tellTwice(checking, 'api', entries, ({ identifier }) => identifier);
  return entries?.flatMap(({ entry: { identifier } }) => identifier ?? []) ?? null;
}

/** Checks the clients of a tenant. @param apis the identifiers of its APIs, where the file has them */
export function checkClients(
  checking: Checking,
  path: Path,
  isDevelopment: boolean,
  apis: readonly string[] | null,
): void {
  const entries = entriesAt<FileClient>(checking, path);
  for (const { at, entry } of entries ?? []) {
    checkPicture(checking, at, entry, 'logo', 'clientLogo');
    checkSettings(checking, at, entry, isDevelopment);
    for (const [index, name] of (entry.apis ?? []).entries()) {
      tellUnknown(checking, [...at, 'apis', index], name, apis, 'api');
    }
    checkSecrets(checking, at, entry, isDevelopment);
  }
  tellTwice(checking, 'client', entries, ({ clientId }) => clientId);
}

function checkSettings(
  checking: Checking,
  at: Path,
  client: Partial<FileClient>,
  isDevelopment: boolean,
): void {
  const secrets = secretsOf(client, at);
  const [first] = secrets;
  const one: Client = {
    ...soundClient,
    ...changesOf(client),
    clientId: client.clientId ?? soundClient.clientId,
    // A client without a secret in the file may have one already.
    type:
      first === undefined && client.authenticationMethod !== 'private_key_jwt'
        ? 'public'
        : (client.type ?? 'confidential'),
    clientCredentials: client.clientCredentials === true && client.type === 'public',
    secrets: secrets.map(() => ({ hash: '', createdAt: 0 })),
  };
  // The plan knows whether a name that is there is new.
  const before = one.name.trim() === '' ? null : { ...soundClient, name: one.name };
  for (const found of registrationProblems(one, before, isDevelopment)) {
    if (first !== undefined && found.path[0] === 'secret') checking.tell(first.at, { ...found, path: [] });
    else checking.tell(at, found);
  }
}

/** A picture comes from one place, and one from a file is looked at too. */
export function checkPicture(
  checking: Checking,
  at: Path,
  entry: Partial<Pick<FileTenant, PictureField | PictureFile>>,
  field: PictureField,
  kind: PictureKind,
): void {
  const fileField = pictureFile(field);
  const name = entry[fileField];
  if (name === undefined) return;
  const path = [...at, fileField];
  if (entry[field] !== undefined)
    checking.tell(path, problem([], 'logo_twice', { one: field, other: fileField }));
  const found = checking.lookUp(fileField, name);
  const wrong = found.ok ? pictureProblem(field, found.value, kind) : found.problem;
  if (wrong !== null) checking.tell(path, { ...wrong, path: [] });
}

function checkSecrets(
  checking: Checking,
  at: Path,
  client: Partial<FileClient>,
  isDevelopment: boolean,
): void {
  const secrets = secretsOf(client, at);
  const hashes: string[] = [];
  for (const secret of secrets) {
    const found = foundSecret(secret, checking.lookUp);
    const wrong = found.ok ? secretProblem(secret, found.value, isDevelopment) : found.problem;
    if (wrong !== null) checking.tell(secret.at, wrong);
    else if (found.ok) hashes.push(found.value);
  }
  const [first] = secrets;
  if (first !== undefined && new Set(hashes).size < hashes.length) {
    checking.tell(first.at, problem([], 'secrets_alike'));
  }
}

function secretProblem({ kind }: Secret, hash: string, isDevelopment: boolean): Problem | null {
  if (kind === 'secret' && !isDevelopment) return problem([], 'secret_in_clear');
  return /^[A-Za-z0-9_-]{43}$/.test(hash) ? null : problem([], 'not_a_secret_hash');
}
