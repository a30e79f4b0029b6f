import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import { NotFound } from "../../domain/errors.ts"
import type { SessionId } from "../../domain/ids.ts"
import type { ProfileSettings } from "../../domain/people/profile.ts"
import type { Profile } from "../../repo/people/ownProfiles.ts"
import type { ShownSession } from "../../repo/people/sessions.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { asData, asSession, wholeList } from "./shared.ts"

const shownProfile = ({ userId, ...profile }: Profile) => ({ user_id: userId, ...profile })

const shownSession = (session: ShownSession) => ({
  id: session.id,
  workspace: { id: session.workspaceId, name: session.workspaceName },
  created_at: session.createdAt,
  expires_at: session.expiresAt,
  user_agent: session.userAgent,
  current: session.isCurrent
})

const noOther = new NotFound({ message: "You have no other session with this id; list the sessions to find their ids" })

export const profileLayer = HttpApiBuilder.group(
  Api,
  "profile",
  Effect.fn(function* (handlers) {
    const { ownProfiles, sessions } = yield* Repo

    const get = asSession(ownProfiles.get).pipe(Effect.map(shownProfile), orProblem)

    const update = Effect.fn("updateProfile")(function* (changes: Partial<ProfileSettings>) {
      return shownProfile(yield* orProblem(ownProfiles.update(yield* CurrentSession, changes)))
    })

    const list = asSession(sessions.list).pipe(
      Effect.map((found) => found.map(shownSession)),
      orProblem
    )

    const endOne = Effect.fn("endSession")(function* (id: SessionId) {
      const ended = yield* sessions.endOthers(yield* CurrentSession, id)
      return ended === 0 ? yield* noOther : { ended }
    }, orProblem)

    const endOthers = asSession((own) => sessions.endOthers(own)).pipe(
      Effect.map((ended) => ({ ended })),
      orProblem
    )

    return handlers
      .handle("get", () => asData(get))
      .handle("update", ({ payload }) => asData(update(payload)))
      .handle("listSessions", () => wholeList(asData(list)))
      .handle("endSession", ({ params }) => asData(endOne(params.id)))
      .handle("endOtherSessions", () => asData(endOthers))
  })
)
