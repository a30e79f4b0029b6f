import { Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { type PlatformResponse, readResponse } from "../call.ts"
import type { PlatformFile } from "../PlatformClient.ts"
import type { YoutubeConfig } from "./config.ts"
import { VideoId } from "./syntax.ts"

/** The requests of a resumable upload, whose session has an address of its own. */

const category = "22"

/** The values that a change of a video would reset if it left them out. */
export const unchanged = {
  snippet: { categoryId: category },
  status: { embeddable: true, license: "youtube", publicStatsViewable: true }
} as const

/** Begins the upload of a video that only its channel sees. Without a byte, nothing exists. */
export const sessionStart = (
  { apiUrl }: Pick<YoutubeConfig, "apiUrl">,
  { contentType, size }: Pick<PlatformFile, "contentType" | "size">,
  key: string
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(`${apiUrl}/upload/youtube/v3/videos`, {
    acceptJson: true,
    urlParams: { uploadType: "resumable", part: "snippet,status" },
    headers: { "x-upload-content-length": String(size), "x-upload-content-type": contentType }
  }).pipe(
    HttpClientRequest.bodyJsonUnsafe({
      snippet: { ...unchanged.snippet, title: key },
      status: { ...unchanged.status, privacyStatus: "private", selfDeclaredMadeForKids: false }
    })
  )

/** The address comes from an answer, and gets a token. */
const isOwn = (address: string, apiUrl: string): boolean => {
  const [url, own] = [URL.parse(address), URL.parse(apiUrl)]
  const isGoogle = [url, own].every((each) => each?.protocol === "https:" && each.host.endsWith(".googleapis.com"))
  return url !== null && own !== null && (url.origin === own.origin || isGoogle)
}

export const sessionOf = (
  { apiUrl }: Pick<YoutubeConfig, "apiUrl">,
  { headers, status }: PlatformResponse
): Option.Option<string> =>
  Option.fromUndefinedOr(status === 200 ? headers["location"] : undefined).pipe(
    Option.filter((address) => address.length <= 2_048 && isOwn(address, apiUrl))
  )

/** Asks how much of the file has arrived. Once all has, the answer is that to the last byte, however often asked. */
export const sessionQuestion = (session: string, size: number): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.put(session, {
    headers: { "content-length": "0", "content-range": `bytes */${size}` }
  })

const readVideo = readResponse(Schema.Struct({ kind: Schema.Literal("youtube#video"), id: VideoId }))

export type SessionState =
  /** The bytes that have arrived. */
  | { readonly _tag: "Waiting"; readonly offset: number }
  | { readonly _tag: "Done"; readonly video: string }
  /** The session has ended. */
  | { readonly _tag: "Gone" }

/** None if the response says nothing about the session. */
export const sessionState = (response: PlatformResponse, size: number): Option.Option<SessionState> => {
  const { headers, status } = response
  if (status === 200 || status === 201)
    return Option.map(readVideo(response), ({ id }) => ({ _tag: "Done", video: id }))
  if (status === 404 || status === 410) return Option.some({ _tag: "Gone" })
  if (status !== 308) return Option.none()
  const { range } = headers
  if (range === undefined) return Option.some({ _tag: "Waiting", offset: 0 })
  const last = /^bytes=0-(\d{1,15})$/.exec(range)?.[1]
  const offset = Number(last) + 1
  return last !== undefined && offset <= size ? Option.some({ _tag: "Waiting", offset }) : Option.none()
}
