const marker = 0xff
const endOfImage = 0xd9

/** Some programs and cameras leave out the end of a JPEG (FF D9), or half of it. Browsers show such files. */
export const closedJpeg = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.from(bytes.at(-1) === marker ? [endOfImage] : [marker, endOfImage])])
