import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import type { SessionCaller } from "../../api/Authentication.ts"
import { CurrentActor, CurrentSession } from "../../api/Authorization.ts"
import type { Issue } from "../../domain/errors.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { Actor } from "../../domain/people/actor.ts"
import type { Post } from "../../domain/posts/post.ts"
import { formatEtag } from "../../domain/plain/posts.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { failInvalid } from "../problems.ts"

export const asActor = <A, E, R>(
  operation: (actor: Actor) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | CurrentActor> => Effect.flatMap(CurrentActor, operation)

export const asSession = <A, E, R>(
  operation: (session: SessionCaller) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | CurrentSession> => Effect.flatMap(CurrentSession, operation)

export const inWorkspace = <A, E, R>(
  operation: (workspaceId: WorkspaceId) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | CurrentActor> => asActor(({ workspaceId }) => operation(workspaceId))

export const asData = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<{ readonly data: A }, E, R> =>
  Effect.map(effect, (data) => ({ data }))

export const onePost = (data: Post) =>
  HttpApiSchema.withHeaders({ body: { data }, headers: { etag: formatEtag(data) } })

export const onePostJson = (post: PostJson) => ({ body: `{"data":${post.json}}`, headers: { etag: formatEtag(post) } })

/** Fetches one item more than the limit, to find out if there is a next page. */
export const fetchPage = <A, E, Position>(
  limit: number,
  fetch: (count: number) => Effect.Effect<ReadonlyArray<A>, E>,
  positionOf: (last: A) => Position
) =>
  Effect.map(fetch(limit + 1), (found) => {
    const data = found.slice(0, limit)
    const last = found.length > limit ? data.at(-1) : undefined
    return { data, next_cursor: last === undefined ? null : positionOf(last) }
  })

/** Paging parameters that this list does not support. If they were ignored, every page would be the first. */
const findPaging = (names: ReadonlyArray<string>, message: string) =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (sent) =>
    names.filter((name) => name in sent).map((name): Issue => ({ path: [name], message }))
  )

const failIfAny = (issues: ReadonlyArray<Issue>) => (issues.length > 0 ? failInvalid(issues) : Effect.void)

export const refusePaging = (names: ReadonlyArray<string>, message: string) =>
  Effect.flatMap(findPaging(names, message), failIfAny)

export const findPageNumbers = findPaging(
  ["page", "offset"],
  "Pages go by cursor: use the next_cursor of the previous page as cursor"
)

export const refusePageNumbers = Effect.flatMap(findPageNumbers, failIfAny)

const refusePages = refusePaging(["page", "offset", "cursor"], "This list has no pages: without limit it is complete")

export const wholeList = <A, E, R>(list: Effect.Effect<A, E, R>) => Effect.andThen(refusePages, list)
