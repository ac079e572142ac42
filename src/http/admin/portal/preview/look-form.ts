// The form of a tenant's look, beside the preview of what it makes.
import { say } from '../../../../text/portal.ts';
import type { OwnForm } from '../form/own.ts';
import { labelOfSurface, type Surface, surfaces } from './surfaces.ts';

/** What stands behind the address of the form for what its preview shows. */
export const previewPath = '/preview';

/** The group of a tenant's settings that it is for. */
export const lookName = 'tenants.change/look';

const isMail = (surface: Surface) => 'mail' in surface;
const choicesOf = (some: readonly Surface[]) =>
  some.map((surface) => ({ name: surface.name, label: labelOfSurface(surface) }));

export const lookForm: OwnForm = {
  template: 'look/edit',
  framesOwn: true,
  about: ({ request }) => ({
    preview: `${request.url.split('?')[0]}${previewPath}`,
    surfaces: [
      { label: say('preview.pages'), choices: choicesOf(surfaces.filter((one) => !isMail(one))) },
      { label: say('preview.mails'), choices: choicesOf(surfaces.filter(isMail)) },
    ],
  }),
};
