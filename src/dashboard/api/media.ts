import type { OneMedia } from "../../api/media/mediaBodies.ts"
import { readResponse } from "./client.ts"
import { reportConnection } from "./connection.ts"
import type { Outcome } from "./errors.ts"
import { leaveIfOutdated } from "./identity.ts"
import { readPause } from "./pause.ts"
import { query } from "./query.ts"

type OneMediaJson = typeof OneMedia.Encoded
export type MediaJson = OneMediaJson["data"]

export const oneMedia = (id: string) => query<OneMediaJson>(`/v1/media/${encodeURIComponent(id)}`)

export interface UploadOptions {
  /** Receives the fraction that has been sent, from 0 to 1. */
  readonly onProgress: (part: number) => void
  readonly signal: AbortSignal
}

const path = "/v1/media"

/** `fetch` reports no progress of an upload. */
const send = (file: File, { onProgress, signal }: UploadOptions): Promise<Outcome<OneMediaJson>> =>
  new Promise((resolve) => {
    const upload = new XMLHttpRequest()
    const fail = () => {
      if (!signal.aborted) reportConnection(false)
      resolve({ ok: false, error: { _tag: "ConnectionError" } })
    }
    upload.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total)
    })
    upload.addEventListener("load", () => {
      const headers = new Headers()
      for (const name of ["date", "ratelimit", "retry-after", "x-request-id"]) {
        const value = upload.getResponseHeader(name)
        if (value !== null) headers.set(name, value)
      }
      resolve(readResponse<OneMediaJson>(path, new Response(upload.responseText, { status: upload.status, headers })))
    })
    upload.addEventListener("error", fail)
    upload.addEventListener("abort", fail)
    signal.addEventListener("abort", () => upload.abort())
    const form = new FormData()
    form.set("file", file)
    upload.open("POST", path)
    upload.setRequestHeader("accept", "application/json")
    upload.send(form)
  })

/** Never throws. */
export const uploadMedia = async (file: File, options: UploadOptions): Promise<Outcome<OneMediaJson>> => {
  if (leaveIfOutdated()) return { ok: false, error: { _tag: "ConnectionError" } }
  const paused = readPause()
  return paused === undefined ? send(file, options) : { ok: false, error: paused }
}
