import { keepNewest } from "../../../sandbox/media/files.ts"
import type { SandboxMedia } from "../../../sandbox/state/entry.ts"

interface Owned {
  readonly id: string
  readonly pageId: string
}

interface Photo extends Owned {
  readonly alt: string
}

/** A post that nobody sees until it is published. */
interface Unpublished extends Owned {
  readonly at: number
  readonly text: string
  readonly link: string | undefined
  readonly media: ReadonlyArray<SandboxMedia>
  isPublished: boolean
}

interface Video extends Owned {
  bytes: Uint8Array
  /** Known from the first request with bytes. */
  size: number | undefined
  processing: { readonly ms?: number | undefined; readonly error?: string | undefined }
  /** The time of each request to publish. */
  readonly finished: Array<number>
}

/** A video that is no reel. */
export interface PageVideo extends Owned {
  readonly session: string
  readonly size: number
  readonly parts: Array<Uint8Array>
  processing: { readonly ms?: number | undefined; readonly error?: string | undefined }
  /** The time at which all bytes were said to be there. */
  finishedAt: number | undefined
  text: string
}

/** In memory only, and only the newest. */
const most = 20_000

/** The time for which a reel is processed after the request to publish it. */
const usualProcessing = 20_000

export const readyAt = ({ finished: [first = 0], processing }: Video) => first + (processing.ms ?? usualProcessing)

export const isWhole = ({ bytes, size }: Video) => size !== undefined && bytes.byteLength === size

export const statusOf = (video: Video, now: number) => {
  const { bytes, finished, processing } = video
  const uploading_phase = {
    status: isWhole(video) ? "complete" : bytes.byteLength > 0 ? "in_progress" : "not_started",
    bytes_transferred: bytes.byteLength
  }
  const phases = (video_status: string, processed: object, published: object) => ({
    video_status,
    uploading_phase,
    processing_phase: processed,
    publishing_phase: published
  })
  const notStarted = { status: "not_started" }
  if (finished.length === 0) return phases(isWhole(video) ? "upload_complete" : "uploading", notStarted, notStarted)
  if (now < readyAt(video)) return phases("processing", { status: "in_progress" }, notStarted)
  return processing.error === undefined
    ? phases("ready", { status: "complete" }, { status: "complete", publish_status: "published" })
    : phases("error", { status: "error", error: { message: processing.error } }, notStarted)
}

/** Only the Page that made an object knows it. */
const makeOwned = <A extends Owned>() => {
  const all = new Map<string, A>()
  return {
    put: (object: A) => keepNewest(all, most, object.id, object),
    of: (pageId: string, id: string) => {
      const found = all.get(id)
      return found?.pageId === pageId ? found : undefined
    },
    find: (pageId: string, isIt: (object: A) => boolean) =>
      [...all.values()].find((object) => object.pageId === pageId && isIt(object)),
    remove: (id: string) => all.delete(id)
  }
}

export const makeObjects = () => ({
  photos: makeOwned<Photo>(),
  posts: makeOwned<Unpublished>(),
  videos: makeOwned<Video>(),
  pageVideos: makeOwned<PageVideo>()
})
export type Objects = ReturnType<typeof makeObjects>
