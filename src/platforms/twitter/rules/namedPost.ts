import { Duration } from "effect"
import type { PostId } from "../../../domain/ids.ts"
import type { NamedFor } from "../../../domain/posts/platformRules.ts"

/** The time in a post's id here can differ this much from X's time. Processes' clocks differ less. */
const clockSteps = Duration.hours(1)

const millisOf = (id: PostId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The upper bits of X's ids are milliseconds since November 2010. Smaller ids are older. */
const millisOfKey = (key: string): number => Number((BigInt(key) >> 22n) + 1_288_834_974_657n)

/** Posts here have a UUIDv7, which begins with a time. */
const isOlder = (key: string, id: PostId): boolean =>
  id[14] === "7" && millisOfKey(key) < millisOf(id) - Duration.toMillis(clockSteps)

const isKey = (id: string) => /^\d{1,19}$/.test(id)

/** A post on X must be newer than the post here, and than its parent: X's ids grow. */
export const refuseNamed = (key: string, { id, parentId }: NamedFor): string | undefined => {
  if (isOlder(key, id)) return "Expected the URL of this post; that one was published before this post was created here"
  return parentId !== null && isKey(parentId) && BigInt(key) <= BigInt(parentId)
    ? "Expected the URL of this part; that post is not newer than the part before it"
    : undefined
}
