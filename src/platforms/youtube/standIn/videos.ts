import { keepNewest } from "../../../sandbox/media/files.ts"

interface Snippet {
  readonly title: string
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
  readonly categoryId?: string
}

interface Status {
  readonly privacyStatus?: string
  readonly selfDeclaredMadeForKids?: boolean
}

export interface Video {
  readonly id: string
  readonly channel: string
  /** The upload's session. */
  readonly session: string
  readonly size: number
  readonly parts: Array<Uint8Array>
  /** Undefined until all bytes have arrived. */
  uploadedAt: number | undefined
  processing: {
    readonly ms?: number | undefined
    readonly error?: string | undefined
    readonly code?: string | undefined
  }
  snippet: Snippet
  status: Status
  publishedAt: number | undefined
  /** The bytes of its own thumbnail. */
  thumbnail?: string
}

/** The time for which a video is processed after its last byte. */
const usualProcessing = 10_000

/** In memory only, and only the newest. */
const most = 20_000

export const uploadsPlaylist = (channel: string): string => `UU${channel.slice(2)}`

export const received = ({ parts }: Video): number => parts.reduce((sum, { byteLength }) => sum + byteLength, 0)

const isProcessed = ({ processing, uploadedAt = Infinity }: Video, now: number): boolean =>
  now >= uploadedAt + (processing.ms ?? usualProcessing)

const uploadStatus = (video: Video, now: number) => {
  const { code, error } = video.processing
  if (!isProcessed(video, now)) return { uploadStatus: "uploaded" }
  if (error === undefined) return { uploadStatus: "processed" }
  return code === "failed"
    ? { uploadStatus: "failed", failureReason: error }
    : { uploadStatus: "rejected", rejectionReason: error }
}

const instant = (millis: number) => new Date(millis).toISOString()

export const resourceOf = (video: Video, now: number) => ({
  kind: "youtube#video",
  id: video.id,
  snippet: {
    channelId: video.channel,
    publishedAt: instant(video.publishedAt ?? video.uploadedAt ?? now),
    description: "",
    ...video.snippet
  },
  status: { ...video.status, ...uploadStatus(video, now) }
})

export const itemOf = (video: Video) => ({
  kind: "youtube#playlistItem",
  snippet: { title: video.snippet.title, description: video.snippet.description ?? "" },
  contentDetails: {
    videoId: video.id,
    ...(video.publishedAt === undefined ? {} : { videoPublishedAt: instant(video.publishedAt) })
  },
  status: { privacyStatus: video.status.privacyStatus }
})

export const makeVideos = () => {
  const all = new Map<string, Video>()
  return {
    put: (video: Video) => keepNewest(all, most, video.id, video),
    /** An upload without all its bytes is no video yet. */
    of: (channel: string, id: string): Video | undefined => {
      const found = all.get(id)
      return found?.channel === channel && found.uploadedAt !== undefined ? found : undefined
    },
    inSession: (channel: string, session: string): Video | undefined =>
      [...all.values()].find((video) => video.channel === channel && video.session === session),
    ofChannel: (channel: string): ReadonlyArray<Video> =>
      [...all.values()].filter((video) => video.channel === channel && video.uploadedAt !== undefined).toReversed(),
    remove: (id: string) => all.delete(id)
  }
}
export type Videos = ReturnType<typeof makeVideos>
