// Looks up the files and variables that a tenant file refers to.
import { sha256 } from '../../core/hash.ts';
import { tenantPictures } from '../../core/members/picture.ts';
import { type Path, type Problem, problem } from '../../core/problem.ts';
import { each, type FileClient, type FileProvider, type FileTenant, type TenantFile } from './tenant-file.ts';

/** The fields that hold a picture, and those that refer to a file that does. */
export type PictureField = (typeof tenantPictures)[number];
export type PictureFile = `${PictureField}File`;

export const pictureFile = <Field extends PictureField>(field: Field): `${Field}File` => `${field}File`;

const pictureFiles: ReadonlyMap<string, PictureField> = new Map(
  tenantPictures.map((field) => [pictureFile(field), field]),
);

/** Whether a reference is to a picture. */
export const isOfPicture = (kind: ReferenceKind): kind is PictureFile => pictureFiles.has(kind);

/** The fields that refer to a secret that is sealed, and not hashed. */
export type SealedReference = 'clientSecretFile' | 'clientSecretEnv';

/** The fields that refer to something outside of the file: pictures, and secrets. */
export type ReferenceKind = PictureFile | SealedReference | 'secretFile' | 'secretEnv';

/** What a reference leads to: a picture as a data: URI, a secret as its hash, or as it is where it is sealed. Or why it leads nowhere. */
export type Found =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly problem: Problem };

/** @param name the path of a file, or the name of a variable */
export type LookUp = (kind: ReferenceKind, name: string) => Found;

/** What was looked up, by `kind name`. */
export type References = Readonly<Record<string, string>>;

/** The name under which a reference is sent along. */
export const referenceName = (kind: ReferenceKind, name: string) => `${kind} ${name}`;

/**
 * Looks up what was sent along with a file. The service itself opens no file and reads no variable that a file
 * names: its sender could else read what only the service may.
 */
export function lookUpIn(references: References): LookUp {
  return (kind, name) => {
    const key = referenceName(kind, name);
    const value = Object.hasOwn(references, key) ? references[key] : undefined;
    if (value !== undefined) return { ok: true, value };
    const instead = pictureFiles.get(kind) ?? (kind.startsWith('client') ? 'secretId' : 'secretHash');
    return { ok: false, problem: problem([], 'for_command_alone', { instead }) };
  };
}

/** A secret of a client, or what refers to one, where it stands. */
export interface Secret {
  readonly kind: 'secretHash' | 'secretFile' | 'secretEnv' | 'secret';
  readonly text: string;
  readonly at: Path;
}

/** The secrets of a client in the order in which they are stored. */
export function secretsOf(
  client: Partial<Pick<FileClient, Secret['kind']>>,
  at: Path = [],
): readonly Secret[] {
  return (['secretHash', 'secretFile', 'secretEnv', 'secret'] as const).flatMap((kind) => {
    const value = client[kind];
    return each(value).map((text, index) => ({
      kind,
      text,
      at: typeof value === 'string' ? [...at, kind] : [...at, kind, index],
    }));
  });
}

/** The stored form of a secret. */
export function foundSecret({ kind, text }: Secret, lookUp: LookUp): Found {
  if (kind === 'secretHash') return { ok: true, value: text };
  return kind === 'secret' ? { ok: true, value: sha256(text) } : lookUp(kind, text);
}

/** A file in which everything that it refers to stands itself, and every secret of a client as its hash. */
export function withReferences(file: TenantFile, lookUp: LookUp): TenantFile {
  return {
    tenants: file.tenants.map((tenant) => ({
      ...withPictures(tenant, lookUp),
      ...(tenant.clients === undefined
        ? {}
        : { clients: tenant.clients.map((client) => withHashes(withPictures(client, lookUp), lookUp)) }),
      ...(tenant.identityProviders === undefined
        ? {}
        : { identityProviders: tenant.identityProviders.map((one) => withSecret(one, lookUp)) }),
    })),
  };
}

function withPictures<Entry extends Partial<Pick<FileTenant, PictureFile>>>(
  entry: Entry,
  lookUp: LookUp,
): Entry {
  const pictures = tenantPictures.flatMap((field) => {
    const kind = pictureFile(field);
    const name = entry[kind];
    const found = name === undefined ? null : lookUp(kind, name);
    return found?.ok === true ? [[field, found.value] as const] : [];
  });
  return { ...entry, ...Object.fromEntries(pictures) };
}

function withHashes(client: FileClient, lookUp: LookUp): FileClient {
  const { secretHash: _hash, secretFile: _file, secretEnv: _env, secret: _secret, ...rest } = client;
  const hashes = secretsOf(client).flatMap((secret) => {
    const found = foundSecret(secret, lookUp);
    return found.ok ? [found.value] : [];
  });
  return hashes.length === 0 ? rest : { ...rest, secretHash: hashes };
}

/** The secret of a provider, as its entry refers to it; undefined where it does not. */
export function providerSecret(
  { clientSecretFile, clientSecretEnv, clientSecret }: Partial<FileProvider>,
  lookUp: LookUp,
): { readonly field: string; readonly found: Found } | undefined {
  if (clientSecretFile !== undefined) {
    return { field: 'clientSecretFile', found: lookUp('clientSecretFile', clientSecretFile) };
  }
  if (clientSecretEnv !== undefined) {
    return { field: 'clientSecretEnv', found: lookUp('clientSecretEnv', clientSecretEnv) };
  }
  return clientSecret === undefined
    ? undefined
    : { field: 'clientSecret', found: { ok: true, value: clientSecret } };
}

function withSecret(provider: FileProvider, lookUp: LookUp): FileProvider {
  const { clientSecretFile: _file, clientSecretEnv: _env, ...rest } = provider;
  const found = providerSecret(provider, lookUp)?.found;
  return found?.ok === true ? { ...rest, clientSecret: found.value } : rest;
}
