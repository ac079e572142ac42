// Takes, lists, restores and deletes snapshots, and resets.
import { isoTime } from '../../../core/access/iso-time.ts';
import { exactly, someOf, text } from '../../../operations/json-schema.ts';
import { type Deed, deed } from '../deeds.ts';
import type { Snapshots } from './snapshots.ts';

const name = {
  ...text('Its name: letters, digits, _ and -', 'two-members'),
  pattern: '^[A-Za-z0-9_-]{1,40}$',
};
const nothing = someOf('Nothing', {});
const named = exactly('A snapshot', { name });

/**
 * GET and POST /rehearsal/snapshots, DELETE /rehearsal/snapshots/:name, POST /rehearsal/snapshots/:name/delete and /restore, and
 * POST /rehearsal/reset.
 *
 * @param requireAlone throws unless the service has none but development tenants
 * @param reset puts back all of the room, too
 */
export function snapshotDeeds(
  snapshots: Snapshots,
  requireAlone: (what: string) => void,
  reset: () => Promise<void>,
): readonly Deed[] {
  const told = ({ name: called, at }: { readonly name: string; readonly at: number }) => ({
    name: called,
    at: isoTime(at),
  });
  const timed = async (work: () => Promise<void>) => {
    requireAlone('what is kept');
    const begun = performance.now();
    await work();
    return { took: Math.round(performance.now() - begun) };
  };
  return [
    deed({
      method: 'GET',
      path: '/snapshots',
      fields: nothing,
      run: () => ({ snapshots: snapshots.list().map(told) }),
    }),
    deed({
      method: 'POST',
      path: '/snapshots',
      fields: named,
      async run({ name: called }) {
        requireAlone('what is kept');
        return told(await snapshots.take(called));
      },
    }),
    // A form has no DELETE.
    ...(
      [
        ['DELETE', '/snapshots/:name'],
        ['POST', '/snapshots/:name/delete'],
      ] as const
    ).map(([method, path]) =>
      deed({
        method,
        path,
        fields: named,
        async run({ name: called }) {
          await snapshots.remove(called);
          return {};
        },
      }),
    ),
    deed({
      method: 'POST',
      path: '/snapshots/:name/restore',
      fields: named,
      run: ({ name: called }) => timed(() => snapshots.restore(called)),
    }),
    deed({
      method: 'POST',
      path: '/reset',
      fields: nothing,
      run: () => timed(reset),
    }),
  ];
}
