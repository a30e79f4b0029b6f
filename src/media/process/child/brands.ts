/** Formats that many programs write. Other brands name a camera's maker. */
const brands: ReadonlySet<string> = new Set([
  ..."isom iso2 iso3 iso4 iso5 iso6 iso7 iso8 iso9 isoa isob isoc avc1 hvc1 hev1 vvc1 av01 vp09 mp41 mp42 mp71".split(
    " "
  ),
  ..."dash dsms msdh msix cmfc cmf2 cmfs cmff lmsg 3gp4 3gp5 3gp6 3gp7 3gp8 3gp9 3gs7 3gr6 3ge6 3gg6".split(" "),
  ..."3g2a 3g2b 3g2c mmp4".split(" "),
  "M4A ",
  "M4V ",
  "qt  "
])

const maxBrands = 32

/** The major brand and its version precede the compatible brands. */
const ownLength = 8

export const brandsLength = (length: number): number => Math.min(length - (length % 4), ownLength + maxBrands * 4)

/** Offsets of brands that name no format. */
export const foreignBrands = (content: Buffer): ReadonlyArray<number> =>
  Array.from(
    { length: Math.max(0, (brandsLength(content.length) - ownLength) / 4) },
    (_, index) => ownLength + index * 4
  ).filter((offset) => !brands.has(content.toString("latin1", offset, offset + 4)))
