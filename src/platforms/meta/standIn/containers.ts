import { Duration } from "effect"
import { keepNewest } from "../../../sandbox/media/files.ts"
import type { SandboxPost } from "../../../sandbox/state/entry.ts"

export interface NewPost {
  readonly accountId: string
  readonly kind: string
  readonly text: string
  readonly replyTo: string | undefined
  readonly replyControl: string | undefined
  readonly media: NonNullable<SandboxPost["media"]>
}

interface Container extends Omit<NewPost, "media"> {
  readonly id: string
  readonly at: number
  /** The time at which it is finished. Infinite while the bytes of its video are missing. */
  readyAt: number
  media: NewPost["media"]
  /** The bytes so far, if they come from the service. */
  bytes: Uint8Array | undefined
  readonly error: string | undefined
  /** The number of times it was published. */
  published: number
}

/** The time for which a container is processed. That of a picture by default. */
const processing: Readonly<Record<string, number>> = { TEXT: 2_000, VIDEO: 40_000 }
const usualProcessing = 5_000

const lifetime = Duration.toMillis(Duration.days(1))

/** In memory only, and only the newest. */
const maxContainers = 20_000

export const makeContainers = () => {
  const containers = new Map<string, Container>()

  return {
    make: (
      id: string,
      post: NewPost,
      now: number,
      ordered: { readonly ms?: number | undefined; readonly error?: string | undefined } = {},
      awaitsBytes = false
    ) => {
      const container: Container = {
        ...post,
        id,
        at: now,
        readyAt: awaitsBytes ? Infinity : now + (ordered.ms ?? processing[post.kind] ?? usualProcessing),
        bytes: awaitsBytes ? new Uint8Array() : undefined,
        error: ordered.error,
        published: 0
      }
      keepNewest(containers, maxContainers, id, container)
    },
    /** The bytes of a container's video are there, and are processed from now on. */
    fill: (container: Container, media: NewPost["media"], now: number) => {
      container.media = media
      container.readyAt = now + (processing[container.kind] ?? usualProcessing)
    },
    of: (accountId: string, id: string) => {
      const found = containers.get(id)
      return found?.accountId === accountId ? found : undefined
    },
    get: (id: string) => containers.get(id)
  }
}

export type Containers = ReturnType<typeof makeContainers>

export const statusOf = ({ at, error, published, readyAt }: Container, now: number) => {
  if (published > 0) return "PUBLISHED"
  if (now >= at + lifetime) return "EXPIRED"
  if (now < readyAt) return "IN_PROGRESS"
  return error === undefined ? "FINISHED" : "ERROR"
}
