// Checks the clients in a tenant file.
import type { Client } from '../../../core/client.ts';
import { liveSecrets } from '../../../core/limits.ts';
import { logoLength } from '../../../core/members/limits.ts';
import { logoProblem } from '../../../core/members/logo.ts';
import { type Path, type Problem, problem } from '../../../core/problem.ts';
import { changesOf } from '../../admin/clients/client-answer.ts';
import { clientDefaults, registrationProblems } from '../../client/client.ts';
import { foundSecret, type Secret, secretsOf } from '../references.ts';
import type { FileClient } from '../tenant-file.ts';
import { type Checking, entriesAt, soundPart, tellProblems, tellTwice } from './checking.ts';

const soundClient: Client = {
  ...clientDefaults,
  tenantId: '',
  clientId: 'client',
  name: 'client',
  type: 'public',
  secrets: [],
};

/** Checks the clients of a tenant. */
export function checkClients(checking: Checking, at: Path, value: unknown, isDevelopment: boolean): void {
  const entries = entriesAt(at, value).map((one) => {
    const client = soundPart<FileClient>(checking, one.at, one.value);
    checkLogo(checking, one.at, client, logoLength.client);
    checkSecrets(checking, one.at, client, isDevelopment);
    checkSettings(checking, one.at, client);
    return { at: one.at, name: client.clientId };
  });
  tellTwice(checking, entries, 'client');
}

function checkSettings(checking: Checking, at: Path, client: Partial<FileClient>): void {
  const { type: _type, deviceFlow: _flow, disabled: _disabled, logoFile: _file, ...rest } = client;
  const { secretHash: _hash, secretFile: _secrets, secretEnv: _names, secret: _secret, ...settings } = rest;
  const { clientId } = settings;
  // Its type and its secrets are looked at together; lifetimes have their bounds in the schema. Of a
  // name that is there, the plan knows whether it is new.
  const given = { ...changesOf(settings), ...(clientId === undefined ? {} : { clientId }) };
  const one = { ...soundClient, ...given };
  const before = one.name.trim() === '' ? null : { ...soundClient, name: one.name };
  tellProblems(checking, at, registrationProblems(one, before));
}

/** A picture comes from one place, and one from a file is looked at too. */
export function checkLogo(
  checking: Checking,
  at: Path,
  { logo, logoFile }: { readonly logo?: string | null; readonly logoFile?: string },
  most: number,
): void {
  if (logoFile === undefined) return;
  const path = [...at, 'logoFile'];
  if (logo !== undefined) checking.tell(problem(path, 'logo_twice'));
  const found = checking.lookUp('logoFile', logoFile);
  if (!found.ok) tellProblems(checking, path, [found.problem]);
  const wrong = found.ok ? logoProblem(found.value, most) : null;
  if (wrong !== null) tellProblems(checking, at, [{ ...wrong, path: ['logoFile'] }]);
}

function checkSecrets(
  checking: Checking,
  at: Path,
  client: Partial<FileClient>,
  isDevelopment: boolean,
): void {
  const secrets = secretsOf(client, at);
  const [first] = secrets;
  if (first === undefined) return;
  if (client.type === 'public') checking.tell(problem(first.at, 'public_client_secret'));
  if (secrets.length > liveSecrets) {
    checking.tell(problem(first.at, 'too_many_secrets', { most: liveSecrets }));
  }
  const hashes: string[] = [];
  for (const secret of secrets) {
    const found = foundSecret(secret, checking.lookUp);
    const wrong = found.ok ? secretProblem(secret, found.value, isDevelopment) : found.problem;
    if (wrong !== null) tellProblems(checking, secret.at, [wrong]);
    else if (found.ok) hashes.push(found.value);
  }
  if (new Set(hashes).size < hashes.length) checking.tell(problem(first.at, 'secrets_alike'));
}

function secretProblem({ kind }: Secret, hash: string, isDevelopment: boolean): Problem | null {
  if (kind === 'secret' && !isDevelopment) return problem([], 'secret_in_clear');
  return /^[A-Za-z0-9_-]{43}$/.test(hash) ? null : problem([], 'not_a_secret_hash');
}
