// The list of common passwords.

let list: Promise<ReadonlySet<string>> | undefined;

/**
 * The list of common passwords that ships with zxcvbn, as a question. It is unpacked at its first use, since
 * only a new password asks for it.
 */
export async function commonPasswords(): Promise<(text: string) => boolean> {
  list ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set<string>(dictionary['passwords-common']),
  );
  const known = await list;
  return (text) => known.has(text);
}
