/** The boxes that a player needs, by the box that holds them. Every other one may tell a place, a device or a person. */
export const playedBoxes: Readonly<Record<string, ReadonlySet<string>>> = {
  file: new Set(["ftyp", "styp", "pdin", "moov", "mdat", "moof", "mfra", "sidx", "ssix"]),
  moov: new Set(["mvhd", "iods", "mvex", "trak", "clip"]),
  mvex: new Set(["mehd", "trex", "leva"]),
  trak: new Set(["tkhd", "edts", "mdia", "tref", "tapt", "clip", "matt", "load"]),
  edts: new Set(["elst"]),
  tapt: new Set(["clef", "prof", "enof"]),
  mdia: new Set(["mdhd", "hdlr", "minf", "elng"]),
  minf: new Set(["vmhd", "smhd", "nmhd", "gmhd", "hdlr", "dinf", "stbl"]),
  dinf: new Set(["dref"]),
  stbl: new Set(
    "stsd stts ctts cslg stss stps stsc stsz stz2 stco co64 sdtp sbgp sgpd subs saiz saio stsh stdp padb".split(" ")
  ),
  // How samples are decoded, heard from which side, and shown in which colors and proportions.
  samples: new Set(
    (
      "avcC hvcC vvcC av1C vpcC dvcC dvvC dvwC esds d263 glbl wave damr dOps dfLa dac3 dec3 dac4 ddts alac pcmC enda " +
      "chan chnl srat colr pasp clap fiel gama btrt mdcv clli cclv amve SmDm CoLL vexu hfov st3d sv3d"
    ).split(" ")
  ),
  moof: new Set(["mfhd", "traf"]),
  traf: new Set(["tfhd", "tfdt", "trun", "sbgp", "sgpd", "subs", "saiz", "saio"])
}
