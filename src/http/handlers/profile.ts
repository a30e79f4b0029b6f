import { DateTime, Duration, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import { NotFound } from "../../domain/errors.ts"
import type { SessionId } from "../../domain/ids.ts"
import type { ProfileSettings } from "../../domain/people/profile.ts"
import { maxMuteDays } from "../../domain/plain/mail.ts"
import { CurrentMailer } from "../../mail/CurrentMailer.ts"
import type { MailChanges, OwnMail } from "../../repo/notifications/mailPreferences.ts"
import type { Profile } from "../../repo/people/ownProfiles.ts"
import type { ShownSession } from "../../repo/people/sessions.ts"
import { Repo } from "../../repo/Repo.ts"
import { failInvalid, orProblem } from "../problems.ts"
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

interface MailUpdate {
  readonly modes?: NonNullable<MailChanges["modes"]>
  readonly muted_until?: DateTime.Utc | null
  readonly digest_hour?: number
}

const checkMute = Effect.fnUntraced(function* (until: DateTime.Utc) {
  const now = yield* DateTime.now
  const last = DateTime.addDuration(now, Duration.days(maxMuteDays))
  if (DateTime.isGreaterThan(until, now) && DateTime.isLessThanOrEqualTo(until, last)) return
  return yield* failInvalid([
    { path: ["muted_until"], message: `Expected a time within the next ${maxMuteDays} days, or null for no mute` }
  ])
})

export const profileLayer = HttpApiBuilder.group(
  Api,
  "profile",
  Effect.fn(function* (handlers) {
    const { mailPreferences, ownProfiles, sessions } = yield* Repo
    const enabled = Option.isSome(yield* CurrentMailer)

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

    const shownMail = ({ digestHour, modes, mutedUntil, timeZone }: OwnMail) => ({
      enabled,
      modes,
      muted_until: mutedUntil,
      digest_hour: digestHour,
      time_zone: timeZone
    })

    const getMail = asSession(mailPreferences.get).pipe(Effect.map(shownMail), orProblem)

    const updateMail = Effect.fn("updateMail")(function* ({
      digest_hour: digestHour,
      modes,
      muted_until: mutedUntil
    }: MailUpdate) {
      if (mutedUntil !== undefined && mutedUntil !== null) yield* checkMute(mutedUntil)
      const changes: MailChanges = {
        ...(modes !== undefined && { modes }),
        ...(mutedUntil !== undefined && { mutedUntil }),
        ...(digestHour !== undefined && { digestHour })
      }
      return shownMail(yield* orProblem(mailPreferences.update(yield* CurrentSession, changes)))
    })

    return handlers
      .handle("getMail", () => asData(getMail))
      .handle("updateMail", ({ payload }) => asData(updateMail(payload)))
      .handle("get", () => asData(get))
      .handle("update", ({ payload }) => asData(update(payload)))
      .handle("listSessions", () => wholeList(asData(list)))
      .handle("endSession", ({ params }) => asData(endOne(params.id)))
      .handle("endOtherSessions", () => asData(endOthers))
  })
)
