/** Preferred codings come first. */
const codings = ["br", "gzip", "identity"] as const
export type ContentCoding = (typeof codings)[number]

const member = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

const parseQualities = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").flatMap((text): ReadonlyArray<readonly [string, number]> => {
      const [, name, quality = "1"] = member.exec(text.trim().toLowerCase()) ?? []
      return name === undefined ? [] : [[name === "x-gzip" ? "gzip" : name, Number(quality)]]
    })
  )

/** The quality of identity if the header does not name it. It is acceptable, but less than every named coding. */
const unstated = 0.0001

/**
 * Chooses a coding by Accept-Encoding (RFC 9110, 12.5.3). Ignores malformed entries. If no coding fits, chooses
 * identity.
 */
export const chooseCoding = (acceptEncoding: string | undefined): ContentCoding => {
  const qualities = parseQualities(acceptEncoding ?? "")
  const qualityOf = (coding: ContentCoding) =>
    qualities.get(coding) ?? qualities.get("*") ?? (coding === "identity" ? unstated : 0)
  const highest = Math.max(...codings.map(qualityOf))
  return highest === 0 ? "identity" : (codings.find((coding) => qualityOf(coding) === highest) ?? "identity")
}
