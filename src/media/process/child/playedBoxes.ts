/** Boxes in a sample description, or in a `wave` inside it (QuickTime). */
const samples = (
  "avcC hvcC vvcC av1C vpcC dvcC dvvC dvwC esds d263 glbl wave damr dOps dfLa dac3 dec3 dac4 ddts alac pcmC enda " +
  "chan chnl srat colr pasp clap fiel gama btrt mdcv clli cclv amve SmDm CoLL vexu hfov st3d sv3d"
).split(" ")

/** The boxes that a player needs, by parent. Every other box may reveal a place, a device or a person. */
export const playedBoxes: Readonly<Record<string, ReadonlySet<string>>> = {
  file: new Set(["ftyp", "styp", "moov", "mdat", "moof"]),
  moov: new Set(["mvhd", "mvex", "trak"]),
  mvex: new Set(["mehd", "trex"]),
  trak: new Set(["tkhd", "edts", "mdia", "tapt"]),
  edts: new Set(["elst"]),
  tapt: new Set(["clef", "prof", "enof"]),
  mdia: new Set(["mdhd", "hdlr", "minf"]),
  minf: new Set(["vmhd", "smhd", "nmhd", "hdlr", "dinf", "stbl"]),
  dinf: new Set(["dref"]),
  stbl: new Set("stsd stts ctts cslg stss stps stsc stsz stz2 stco co64 sdtp sbgp sgpd".split(" ")),
  // Decoding, channels, colors and proportions.
  samples: new Set(samples),
  // A `wave` ends with a box whose type is zero.
  wave: new Set([...samples, "frma", "mp4a", "\0\0\0\0"]),
  sv3d: new Set(["proj"]),
  vexu: new Set(["eyes", "proj", "pack", "must"]),
  eyes: new Set(["stri", "hero", "must"]),
  proj: new Set(["prhd", "equi", "cbmp", "mshp", "prji"]),
  pack: new Set(["pkin"]),
  moof: new Set(["mfhd", "traf"]),
  traf: new Set(["tfhd", "tfdt", "trun", "sbgp", "sgpd"])
}

/** Boxes that may repeat in their parent. For other types, only the first counts. */
const repeated: ReadonlySet<string> = new Set("styp moov mdat moof trak trex trun traf sbgp sgpd colr".split(" "))

export const makeChoice = (holder: string) => {
  const seen = new Set<string>()
  return (type: string): boolean => {
    const isPlayed = playedBoxes[holder]?.has(type) === true && (repeated.has(type) || !seen.has(type))
    seen.add(type)
    return isPlayed
  }
}
