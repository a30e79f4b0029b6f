const kinds: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "a PDF"],
  ["application/zip", "a ZIP archive"],
  ["audio/mp4", "a sound file"],
  ["audio/mpeg", "a sound file"],
  ["audio/wav", "a sound file"],
  ["image/avif", "an AVIF picture"],
  ["image/bmp", "a BMP picture"],
  ["image/heic", "a HEIC picture"],
  ["image/heif", "a HEIC picture"],
  ["image/svg+xml", "an SVG drawing"],
  ["image/tiff", "a TIFF picture"],
  ["text/html", "a web page"],
  ["text/plain", "a text file"],
  ["video/mpeg", "an MPEG video"],
  ["video/MP1S", "an MPEG video"],
  ["video/MP2P", "an MPEG video"],
  ["video/mp2t", "an MPEG video"],
  ["video/matroska", "an MKV video"],
  ["video/vnd.avi", "an AVI video"],
  ["video/x-matroska", "an MKV video"],
  ["video/x-msvideo", "an AVI video"]
])

/** Types of files by extension, for browsers that do not know these types. */
const endings: ReadonlyMap<string, string> = new Map([
  ["avi", "video/x-msvideo"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["mkv", "video/x-matroska"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpeg"],
  ["pdf", "application/pdf"],
  ["webm", "video/webm"]
])

export const nameFileKind = (type: string): string | undefined => kinds.get(type)

export const typeByName = (name: string): string => endings.get(name.split(".").at(-1)?.toLowerCase() ?? "") ?? ""
