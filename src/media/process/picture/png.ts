const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Chunks that are the picture. Their names begin with a capital letter, as those of all that a reader may not skip. */
const critical: ReadonlySet<string> = new Set(["IHDR", "PLTE", "IDAT", "IEND"])

/** What colors, transparency and proportions the picture has, with the length where there is only one. They stand before the pixels. */
const lengths: Readonly<Record<string, number | undefined>> = {
  gAMA: 4,
  cHRM: 32,
  sRGB: 1,
  cICP: 4,
  mDCV: 24,
  cLLI: 4,
  pHYs: 9
}
const shown: ReadonlySet<string> = new Set(["tRNS", "iCCP", ...Object.keys(lengths)])

const isCritical = (type: string) => /^[A-Z]/.test(type)

/** A PNG's header, colors and pixels; undefined where its chunks can't be followed to its end. */
export const pngAlone = (bytes: Buffer): Buffer | undefined => {
  if (!bytes.subarray(0, 8).equals(signature)) return undefined
  const kept: Array<Buffer> = [signature]
  const seen = new Set<string>()
  let at = 8
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString("latin1", at + 4, at + 8)
    const chunk = bytes.subarray(at, at + 12 + length)
    if (at + 12 + length > bytes.length || (isCritical(type) && !critical.has(type))) return undefined
    if (seen.size === 0 && (type !== "IHDR" || length !== 13)) return undefined
    if (type === "IEND") return length === 0 && seen.has("IDAT") ? Buffer.concat([...kept, chunk]) : undefined
    const isShown =
      shown.has(type) &&
      !seen.has("IDAT") &&
      !seen.has(type) &&
      (lengths[type] === undefined || lengths[type] === length)
    if (critical.has(type) || isShown) kept.push(chunk)
    seen.add(type)
    at += 12 + length
  }
  return undefined
}
