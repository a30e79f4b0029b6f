const jpegEnd = Buffer.from([0xff, 0xd9])
const jpegScan = Buffer.from([0xff, 0xda])
const pngEnd = Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])

/**
 * Whether nothing follows the picture in a JPEG, PNG or WebP: phones put a video or a second picture there, and others an archive or
 * a program. A picture that this can't tell of counts as one with more.
 */
export const endsWithPicture = (bytes: Uint8Array): boolean => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer[0] === 0xff) {
    // In what a scan codes, FF is never followed by D9.
    const scan = buffer.indexOf(jpegScan)
    return scan !== -1 && buffer.indexOf(jpegEnd, scan) === buffer.length - jpegEnd.length
  }
  if (buffer[0] === 0x89) return buffer.indexOf(pngEnd) === buffer.length - pngEnd.length
  return buffer.length >= 12 && buffer.readUInt32LE(4) + 8 === buffer.length
}
