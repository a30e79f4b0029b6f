import { type RespondTo, type StandInResponse, endpoint } from "../../../sandbox/endpoint.ts"
import { type Files, keepNewest, sniff } from "../../../sandbox/media/files.ts"
import { blobId } from "./contentIds.ts"
import { blobsOf, type Embed } from "./embed.ts"
import { pdsError } from "./responses.ts"
import { authorized } from "./sessions.ts"

/** The limit that a PDS's installer sets, in bytes. Without it, a PDS's own default is a tenth. */
const blobLimit = 50 * 1024 * 1024
const maxBlobs = 10_000

interface Blob {
  readonly mimeType: string
  readonly size: number
  temporary: boolean
  lost: boolean
}

const blobKey = (did: string, cid: string): string => `${did} ${cid}`

/** Blobs are temporary from their upload until a record refers to them. */
export const makeBlobs = (files: Files) => {
  const blobs = new Map<string, Blob>()

  /** `shownAs` is the type of the bytes, where a stand-in only claims to have converted them. */
  const put = (did: string, bytes: Uint8Array, mimeType: string, shownAs = mimeType): string => {
    const cid = blobId(bytes)
    const id = blobKey(did, cid)
    const before = blobs.get(id)
    const blob = { mimeType, size: bytes.byteLength, temporary: before?.temporary ?? true, lost: false }
    keepNewest(blobs, maxBlobs, id, blob)
    // The key is the content's id alone, so that equal content is kept once.
    files.put(cid, { bytes, contentType: shownAs })
    return cid
  }

  /** Loses the bytes of temporary blobs, but keeps their entries. */
  const loseTemporary = () => {
    for (const blob of blobs.values()) {
      if (blob.temporary) blob.lost = true
    }
  }

  const forget = (did: string, embed: Embed | undefined) => {
    for (const { ref } of embed === undefined ? [] : blobsOf(embed)) blobs.delete(blobKey(did, ref.$link))
  }

  const keep = (did: string, embed: Embed | undefined): StandInResponse | undefined => {
    const found = (embed === undefined ? [] : blobsOf(embed)).map((reference) => ({
      reference,
      blob: blobs.get(blobKey(did, reference.ref.$link))
    }))
    for (const { blob, reference } of found) {
      const cid = reference.ref.$link
      if (blob === undefined) return pdsError(400, "BlobNotFound", `Could not find blob: ${cid}`)
      // A real PDS fails like this if a temporary blob's file is gone.
      if (blob.lost) return pdsError(500)
      if (blob.mimeType !== reference.mimeType) {
        const message = `Referenced Mimetype does not match stored blob. Expected: ${blob.mimeType}, Got: ${reference.mimeType}`
        return pdsError(400, "InvalidMimeType", message)
      }
      if (blob.size !== reference.size) {
        const message = `Referenced size does not match stored blob. Expected: ${blob.size}, Got: ${reference.size}`
        return pdsError(400, "InvalidSize", message)
      }
    }
    for (const { blob } of found) if (blob !== undefined) blob.temporary = false
    return undefined
  }

  return { put, keep, forget, loseTemporary }
}

export type Blobs = ReturnType<typeof makeBlobs>

export const pdsBlobs = (blobs: Blobs) => {
  const upload: RespondTo = ({ id }, { bytes, headers }) => {
    if (bytes.byteLength > blobLimit) return pdsError(413)
    const mimeType = sniff(bytes) ?? headers["content-type"] ?? "application/octet-stream"
    const cid = blobs.put(id, bytes, mimeType)
    return { status: 200, body: { blob: { $type: "blob", ref: { $link: cid }, mimeType, size: bytes.byteLength } } }
  }
  return endpoint("upload", "POST", "/xrpc/com.atproto.repo.uploadBlob", authorized(upload))
}
