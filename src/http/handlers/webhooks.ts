import { Duration, Effect, Result } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { HistoryPosition } from "../../api/pagination.ts"
import { defaultDeliveryLimit } from "../../api/webhooks/Webhooks.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import { scopeAuthority } from "../../domain/people/authority.ts"
import { defaultSecretOverlap, maxReplayed } from "../../domain/webhooks/webhook.ts"
import { checkUrl } from "../../outbound/policy.ts"
import { ReachesLoopback } from "../../outbound/ReachesLoopback.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { failInvalid, orProblem } from "../problems.ts"
import { asActor, asData, fetchPage, inWorkspace, refusePageNumbers, wholeList } from "./shared.ts"

const scope = "webhooks:manage"

export const webhooksLayer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function* (handlers) {
    const { webhooks, whileAuthorized } = yield* Repo
    const baseUrl = yield* BaseUrl
    const loopback = yield* ReachesLoopback

    /** Checks only the URL. The addresses of its host are checked at each delivery. */
    const checkTarget = (url: string) =>
      Result.match(checkUrl({ http: false, anyPort: false, loopback }, url), {
        onFailure: ({ message }) => failInvalid([{ path: ["url"], message }]),
        onSuccess: () => Effect.void
      })

    const whileAllowed = <A, E>(change: (workspaceId: WorkspaceId) => Effect.Effect<A, E>) =>
      asActor((actor) => whileAuthorized(scopeAuthority(actor, scope), change(actor.workspaceId)))

    return handlers
      .handle("create", ({ payload: { description = null, events = null, url } }) =>
        checkTarget(url).pipe(
          Effect.andThen(
            orProblem(
              asActor((actor) =>
                webhooks.create(actor.workspaceId, { url, events, description }, scopeAuthority(actor, scope))
              )
            )
          ),
          // NotFound would mean an unknown workspace, but the caller's workspace exists.
          Effect.catchTag("NotFound", Effect.die),
          Effect.map(({ secret, webhook }) =>
            HttpApiSchema.withHeaders({
              body: { data: webhook, secret },
              headers: { location: `${baseUrl}/v1/webhooks/${webhook.id}` }
            })
          )
        )
      )
      .handle("list", () => inWorkspace((workspaceId) => webhooks.list(workspaceId)).pipe(asData, orProblem, wholeList))
      .handle("get", ({ params: { id } }) =>
        inWorkspace((workspaceId) => webhooks.get(workspaceId, id)).pipe(asData, orProblem)
      )
      .handle("update", ({ params: { id }, payload }) =>
        Effect.andThen(
          payload.url === undefined ? Effect.void : checkTarget(payload.url),
          whileAllowed((workspaceId) => webhooks.update(workspaceId, id, payload)).pipe(asData, orProblem)
        )
      )
      .handle("delete", ({ params: { id } }) =>
        whileAllowed((workspaceId) => webhooks.remove(workspaceId, id)).pipe(
          Effect.as({ id, deleted: true as const }),
          asData,
          orProblem
        )
      )
      .handle("rotateSecret", ({ params: { id }, payload: { overlap } }) =>
        whileAllowed((workspaceId) =>
          webhooks.rotateSecret(
            workspaceId,
            id,
            overlap === undefined ? defaultSecretOverlap : Duration.seconds(overlap)
          )
        ).pipe(
          Effect.map(({ secret, webhook }) => ({ data: webhook, secret })),
          orProblem
        )
      )
      .handle("test", ({ params: { id } }) =>
        whileAllowed((workspaceId) => webhooks.test(workspaceId, id)).pipe(asData, orProblem)
      )
      .handle("deliveries", ({ params: { id }, query: { cursor, limit = defaultDeliveryLimit, status = null } }) =>
        inWorkspace((workspaceId) =>
          fetchPage(
            limit,
            (count) => webhooks.deliveries(workspaceId, id, { limit: count, status, before: cursor?.before ?? null }),
            (last) => HistoryPosition.make({ before: last.id })
          )
        ).pipe(orProblem, (page) => Effect.andThen(refusePageNumbers, page))
      )
      .handle("resend", ({ params: { event_id, id } }) =>
        whileAllowed((workspaceId) => webhooks.resend(workspaceId, id, event_id)).pipe(asData, orProblem)
      )
      .handle("replay", ({ params: { id }, payload: { since } }) =>
        whileAllowed((workspaceId) => webhooks.replay(workspaceId, id, since, maxReplayed)).pipe(
          Effect.map((queued) => ({ queued, more: queued === maxReplayed })),
          asData,
          orProblem
        )
      )
  })
)
