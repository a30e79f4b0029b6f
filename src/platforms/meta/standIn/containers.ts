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

interface Container extends NewPost {
  readonly id: string
  readonly at: number
  readonly readyAt: number
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
      ordered: { readonly ms?: number | undefined; readonly error?: string | undefined } = {}
    ) => {
      const container: Container = {
        ...post,
        id,
        at: now,
        readyAt: now + (ordered.ms ?? processing[post.kind] ?? usualProcessing),
        error: ordered.error,
        published: 0
      }
      keepNewest(containers, maxContainers, id, container)
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
