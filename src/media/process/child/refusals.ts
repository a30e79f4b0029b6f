import { Refusal } from "./protocol.ts"

export const damaged = (detail: string): Refusal => new Refusal({ message: `The video can't be read: ${detail}` })

export const damagedIndex = damaged("its index is damaged")

export const encryptedVideo = new Refusal({
  message: "The video is encrypted, so nothing here can read it; export it without protection"
})

/** Videos have a few. Libraries take memory for each, more than once. */
const maxTracks = 32

const tooManyTracks = `The video has more than ${maxTracks} tracks; export it with one picture and one sound`

/** Returns a function that refuses the file if it is called for too many tracks. */
export const makeTrackCount = () => {
  let count = 0
  return (): void => {
    if (++count > maxTracks) throw new Refusal({ message: tooManyTracks })
  }
}
