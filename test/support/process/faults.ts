/** A file that grows beyond so many bytes fails to be written, as on a full disk: `ulimit -f`, in blocks of 512. */
export function smallFiles(bytes: number): readonly string[] {
  return ['sh', '-c', `ulimit -f ${Math.floor(bytes / 512)}; exec "$@"`, 'sh'];
}

/** Rights of files hold for root too. Anybody else needs nothing for that. */
export function heldToRights(): readonly string[] {
  return process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];
}
