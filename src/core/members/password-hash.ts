/** What a stored password hash takes to be checked. */

const parameters = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/;

/**
 * The work of a PHC string: its memory in KiB, times its passes. argon2id takes time in that proportion.
 *
 * @returns 0 for what is no hash, such as that of an erased member
 */
export function hashWork(phc: string): number {
  const [, memory = 0, passes = 0] = parameters.exec(phc) ?? [];
  return Number(memory) * Number(passes);
}
