import { Effect, Result } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { MailPosition } from "../../api/pagination.ts"
import { ChannelTests } from "../../chat/ChannelTests.ts"
import { explainWrongUrl } from "../../domain/chat/channelUrl.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import { defaultMailLimit } from "../../domain/mail/mailDelivery.ts"
import { scopeAuthority } from "../../domain/people/authority.ts"
import type { ChannelKind } from "../../domain/plain/chat.ts"
import { defaultChannelTypes } from "../../domain/plain/mail.ts"
import { isMaskedUrl } from "../../domain/webhooks/maskedUrl.ts"
import { checkUrl } from "../../outbound/policy.ts"
import { ReachesLoopback } from "../../outbound/ReachesLoopback.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { failInvalid, orProblem } from "../problems.ts"
import { shownDelivery } from "./mail.ts"
import { asActor, asData, fetchPage, inWorkspace, refusePageNumbers, wholeList } from "./shared.ts"

const scope = "webhooks:manage"

export const channelsLayer = HttpApiBuilder.group(
  Api,
  "channels",
  Effect.fn(function* (handlers) {
    const { channels, chatLog, whileAuthorized } = yield* Repo
    const tests = yield* ChannelTests
    const baseUrl = yield* BaseUrl
    const loopback = yield* ReachesLoopback

    /** Checks only the URL. The addresses of its host are checked at each message. */
    const checkTarget = (kind: ChannelKind, url: string) => {
      const wrong = isMaskedUrl(url) ? undefined : explainWrongUrl(kind, url)
      const message =
        wrong ??
        Result.match(checkUrl({ http: false, anyPort: false, loopback }, url), {
          onFailure: (refused) => refused.message,
          onSuccess: () => undefined
        })
      return message === undefined ? Effect.void : failInvalid([{ path: ["url"], message }])
    }

    const whileAllowed = <A, E>(change: (workspaceId: WorkspaceId) => Effect.Effect<A, E>) =>
      asActor((actor) => whileAuthorized(scopeAuthority(actor, scope), change(actor.workspaceId)))

    return handlers
      .handle("create", ({ payload: { types, ...wanted } }) =>
        checkTarget(wanted.kind, wanted.url).pipe(
          Effect.andThen(
            orProblem(
              asActor((actor) =>
                channels.create(
                  actor.workspaceId,
                  { ...wanted, types: types ?? defaultChannelTypes },
                  scopeAuthority(actor, scope)
                )
              )
            )
          ),
          Effect.map((channel) =>
            HttpApiSchema.withHeaders({
              body: { data: channel },
              headers: { location: `${baseUrl}/v1/channels/${channel.id}` }
            })
          )
        )
      )
      .handle("list", () => inWorkspace((workspaceId) => channels.list(workspaceId)).pipe(asData, orProblem, wholeList))
      .handle("get", ({ params: { id } }) =>
        inWorkspace((workspaceId) => channels.get(workspaceId, id)).pipe(asData, orProblem)
      )
      .handle("update", ({ params: { id }, payload }) =>
        whileAllowed((workspaceId) => channels.update(workspaceId, id, payload, checkTarget)).pipe(asData, orProblem)
      )
      .handle("delete", ({ params: { id } }) =>
        whileAllowed((workspaceId) => channels.remove(workspaceId, id)).pipe(
          Effect.as({ id, deleted: true as const }),
          asData,
          orProblem
        )
      )
      .handle("test", ({ params: { id } }) =>
        inWorkspace((workspaceId) =>
          // Outside the transaction, because the answer can take a while.
          whileAllowed(() => channels.open(workspaceId, id)).pipe(
            Effect.flatMap(tests.send),
            Effect.catchTag("CredentialsUnreadable", ({ message }) =>
              Effect.succeed({ delivered: false, answer: message })
            )
          )
        ).pipe(asData, orProblem)
      )
      .handle("deliveries", ({ params: { id }, query: { cursor, limit = defaultMailLimit, status = null } }) =>
        inWorkspace((workspaceId) =>
          Effect.andThen(
            channels.get(workspaceId, id),
            fetchPage(
              limit,
              (count) =>
                Effect.map(
                  chatLog.list(
                    { workspaceId, channelId: id },
                    { limit: count, status, before: cursor?.before ?? null }
                  ),
                  (found) => found.map(shownDelivery)
                ),
              (last) => MailPosition.make({ before: last.id })
            )
          )
        ).pipe(orProblem, (page) => Effect.andThen(refusePageNumbers, page))
      )
      .handle("resend", ({ params: { delivery_id, id } }) =>
        whileAllowed((workspaceId) => chatLog.resend({ workspaceId, channelId: id }, delivery_id)).pipe(
          Effect.map(shownDelivery),
          asData,
          orProblem
        )
      )
  })
)
