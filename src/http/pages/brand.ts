// A tenant as its pages show it, and the addresses of its pictures.
import { createHash } from 'node:crypto';
import { type Branding, looksOf, supportLink } from '../../core/members/branding.ts';
import { type ReadPicture, readPicture } from '../../core/members/picture.ts';

/** A tenant as pages show it: with addresses where it has pictures. */
export interface Brand extends Pick<Branding, 'name' | 'coverText' | 'termsUrl' | 'privacyUrl'> {
  readonly logo: string | null;
  readonly icon: string;
  readonly coverPicture: string | null;
  /** Where "Help" leads. */
  readonly support: string | null;
}

/** A picture with its address, which has a new name for each new picture. */
export interface Served extends ReadPicture {
  readonly url: string;
}

interface Brands {
  readonly brand: Brand;
  readonly served: readonly Served[];
}

/** Below it are the pictures of each tenant. */
export const brandFolder = '/brand';

const endings: Readonly<Record<string, string>> = { 'image/svg+xml': 'svg', 'image/jpeg': 'jpg' };

function serve(picture: ReadPicture): Served {
  const { type, bytes } = picture;
  const name = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  return { ...picture, url: `${brandFolder}/${name}.${endings[type] ?? type.replace('image/', '')}` };
}

/** The look of a tenant object does not change: a tenant with another look is another object. */
const known = new WeakMap<Branding, Brands>();

function brandsOf(branding: Branding): Brands {
  const made = known.get(branding) ?? makeBrands(branding);
  known.set(branding, made);
  return made;
}

function makeBrands(branding: Branding): Brands {
  const { name, coverText, termsUrl, privacyUrl } = branding;
  const pictureOf = (picture: string | null) => (picture === null ? null : serve(readPicture(picture)));
  const logo = pictureOf(branding.logo);
  const coverPicture = pictureOf(branding.coverPicture);
  const icon = pictureOf(branding.favicon) ?? logo ?? serve(letterMark(branding));
  return {
    brand: {
      name,
      coverText,
      termsUrl,
      privacyUrl,
      logo: logo?.url ?? null,
      icon: icon.url,
      coverPicture: coverPicture?.url ?? null,
      support: supportLink(branding),
    },
    served: [logo, icon, coverPicture].filter((picture) => picture !== null),
  };
}

/** A tenant as its pages show it. */
export const brandOf = (branding: Branding): Brand => brandsOf(branding).brand;

/** The mark of the pages as a picture of its own: the letter of the name on the tenant's colour. */
function letterMark({ name, brandColor, corners }: Branding): ReadPicture {
  const { brand, onBrand } = looksOf(brandColor).light;
  const letter = ([...name][0] ?? '').replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
  const radius = { sharp: 2, soft: 9, round: 16 }[corners];
  const font = 'font-family="system-ui,sans-serif" font-size="19" font-weight="700"';
  const text = `<text x="16" y="16" dy=".36em" text-anchor="middle" ${font} fill="${onBrand}">${letter}</text>`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">` +
    `<rect width="32" height="32" rx="${radius}" fill="${brand}"/>${text}</svg>`;
  return { type: 'image/svg+xml', bytes: Buffer.from(svg) };
}

/** The pictures of a tenant, each with its address. */
export const picturesOf = (branding: Branding): readonly Served[] => brandsOf(branding).served;

/** The picture of a tenant that has this address, if one has. */
export const pictureAt = (branding: Branding, url: string): Served | undefined =>
  brandsOf(branding).served.find((picture) => picture.url === url);
