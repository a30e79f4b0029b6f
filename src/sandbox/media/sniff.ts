/** By the first bytes; undefined if no platform accepts the type. */
export const sniff = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1")
  if (head.startsWith("\u{ff}\u{d8}\u{ff}")) return "image/jpeg"
  if (head.startsWith("\u{89}PNG\r\n\u{1a}\n")) return "image/png"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (/^RIFF[^]{4}WEBP/.test(head)) return "image/webp"
  if (/^[^]{4}ftypqt/.test(head)) return "video/quicktime"
  return /^[^]{4}ftyp/.test(head) ? "video/mp4" : undefined
}
