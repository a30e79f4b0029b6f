import { type DateTime, Effect, Option, Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Base64Url } from "effect/encoding"
import { type DatabaseUnavailable, InvalidState, type RoleLost, SessionEnded } from "../../domain/errors.ts"
import { UserId, WorkspaceId } from "../../domain/ids.ts"
import { digestType, essentialTypes, modeOf, typesFor } from "../../domain/mail/mailPreferences.ts"
import { type MailMode, mailModes, type MailType, mailTypeNames, mailTypes } from "../../domain/plain/mail.ts"
import { Role } from "../../domain/people/role.ts"
import { Member, type SessionHolder } from "../../domain/people/session.ts"
import { CredentialCipher } from "../integrations/CredentialCipher.ts"
import { type AuthorityError, makeAuthority } from "../people/authority.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { MemberChoices } from "./Deliveries.ts"
import { makeDigestTimes } from "./digestTimes.ts"
import { memberChoices } from "./dispatch.ts"

export interface OwnMail {
  /** The types that the person's role can choose. */
  readonly modes: Readonly<Partial<Record<MailType, MailMode>>>
  readonly mutedUntil: DateTime.Utc | null
  /** In the zone. */
  readonly digestHour: number
  readonly timeZone: string
}

export interface MailChanges {
  readonly modes?: Readonly<Partial<Record<MailType, MailMode>>>
  readonly mutedUntil?: DateTime.Utc | null
  readonly digestHour?: number
}

export interface TurnedOff {
  readonly workspaceName: string
  /** A type of notifications, or `digest`. */
  readonly type: string
  /** The types that stop. */
  readonly stopped: ReadonlyArray<MailType>
  /** The types that no other admin gets. They come in the daily summary from now on. */
  readonly kept: ReadonlyArray<MailType>
}

export interface MailPreferences {
  readonly get: (own: Member) => Effect.Effect<OwnMail, SessionEnded | DatabaseUnavailable>
  /** Fails with InvalidState if the role can't choose a type, or if nobody would get failures. */
  readonly update: (
    own: Pick<SessionHolder, "session" | "userId" | "workspaceId">,
    changes: MailChanges
  ) => Effect.Effect<OwnMail, InvalidState | Exclude<AuthorityError, RoleLost> | DatabaseUnavailable>
  /** Authorizes nothing but turning off this type for this person. */
  readonly tokenFor: (about: Member & { readonly type: string }) => Effect.Effect<string>
  readonly findToken: (token: string) => Effect.Effect<Option.Option<TurnedOff>, DatabaseUnavailable>
  /** None for an invalid token, or if the person is not a member any more. */
  readonly turnOff: (token: string) => Effect.Effect<Option.Option<TurnedOff>, DatabaseUnavailable>
}

const MemberRow = Schema.Struct({
  userId: UserId,
  workspaceName: Schema.String,
  ...MemberChoices,
  digestHour: Schema.Int,
  timeZone: Schema.NullOr(Schema.String)
})
type MemberRow = typeof MemberRow.Type

const toOwn = ({ digestHour, modes, mutedUntil, role, timeZone }: MemberRow): OwnMail => ({
  modes: Object.fromEntries(typesFor(role).map((type) => [type, modeOf({ role, modes }, type)])),
  mutedUntil,
  digestHour,
  timeZone: timeZone ?? "UTC"
})

/** The essential types that no admin would get. */
const withoutReceiver = (members: ReadonlyArray<MemberRow>): ReadonlyArray<MailType> => {
  const admins = members.filter(({ role }) => role === "admin")
  return essentialTypes.filter((type) => admins.every((admin) => modeOf(admin, type) === "off"))
}

const UnsubscribeToken = Schema.fromJsonString(
  Schema.Struct({ workspaceId: WorkspaceId, userId: UserId, type: Schema.String })
)
type UnsubscribeToken = typeof UnsubscribeToken.Type
const encodeToken = Schema.encodeEffect(UnsubscribeToken)
const decodeToken = Schema.decodeOption(UnsubscribeToken)

/** The associated data of the sealed token. */
const tokenCell = "notification_preferences/unsubscribe"

export const makeMailPreferences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const { hold } = yield* makeAuthority
  const lockWorkspace = yield* makeLockWorkspace
  const digestTimes = yield* makeDigestTimes

  const columns = sql.literal(`m.user_id AS "userId", w.name AS "workspaceName", ${memberChoices},
    m.digest_hour AS "digestHour", q.time_zone AS "timeZone"`)

  const findMembers = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, userId: Schema.NullOr(UserId) }),
    Result: MemberRow,
    execute: ({ userId, workspaceId }) => sql`
      SELECT ${columns} FROM members m JOIN workspaces w ON w.id = m.workspace_id
        LEFT JOIN queues q ON q.workspace_id = m.workspace_id
      WHERE m.workspace_id = ${workspaceId}::uuid AND ${
        userId === null ? sql`m.role = 'admin'` : sql`m.user_id = ${userId}::uuid`
      }`
  })

  const findMember = Effect.fnUntraced(function* ({ userId, workspaceId }: Member) {
    const [member] = yield* findMembers({ workspaceId, userId })
    // The sessions of a former member have ended too.
    return member ?? (yield* new SessionEnded())
  })

  const get: MailPreferences["get"] = Effect.fn("Repo.mailPreferences.get")((own) =>
    Effect.map(findMember(own), toOwn).pipe(withDatabaseTimeout("reading the choices of mail"))
  )

  const writeModes = SqlSchema.void({
    Request: Schema.Struct({
      ...Member.fields,
      modes: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Literals(mailModes)))
    }),
    execute: ({ modes, userId, workspaceId }) => sql`
      INSERT INTO notification_preferences (workspace_id, user_id, type, mode)
      SELECT ${workspaceId}::uuid, ${userId}::uuid, key, value FROM jsonb_each_text(${modes}::jsonb) ORDER BY key
      ON CONFLICT (workspace_id, type, user_id) DO UPDATE SET mode = excluded.mode`
  })

  const writeMember = SqlSchema.void({
    Request: Schema.Struct({
      ...Member.fields,
      mutedUntil: Schema.NullOr(Schema.DateTimeUtcFromDate),
      digestHour: Schema.Int
    }),
    execute: ({ digestHour, mutedUntil, userId, workspaceId }) => sql`
      UPDATE members SET mail_muted_until = ${mutedUntil}::timestamptz, digest_hour = ${digestHour}::int
      WHERE workspace_id = ${workspaceId}::uuid AND user_id = ${userId}::uuid`
  })

  /** The lock serializes changes, so that two admins can't both turn off what the other one still gets. */
  const change = Effect.fnUntraced(function* (own: Member, { digestHour, modes = {}, mutedUntil }: MailChanges) {
    const before = yield* findMember(own)
    const after = { ...before, modes: { ...before.modes, ...modes } }
    const refused = mailTypes.filter((type) => modes[type] !== undefined && !typesFor(before.role).includes(type))
    if (refused.length > 0) {
      const names = refused.map((type) => mailTypeNames[type]).join(", ")
      return yield* new InvalidState({ message: `With the role ${before.role} you get no mail about ${names}` })
    }
    const admins = yield* findMembers({ workspaceId: own.workspaceId, userId: null })
    const unheard = withoutReceiver(admins.map((admin) => (admin.userId === own.userId ? after : admin)))
    const unheardOfOwn = unheard.filter((type) => before.role === "admin" && modes[type] === "off")
    if (unheardOfOwn.length > 0) {
      const names = unheardOfOwn.map((type) => mailTypeNames[type]).join(" and ")
      return yield* new InvalidState({
        message: `No other admin gets mail about ${names}, so you can't turn it off; choose the daily summary, or make somebody else an admin`
      })
    }
    if (Object.keys(modes).length > 0) yield* writeModes({ ...own, modes })
    const muted = mutedUntil === undefined ? before.mutedUntil : mutedUntil
    const hour = digestHour ?? before.digestHour
    if (muted !== before.mutedUntil || hour !== before.digestHour) {
      yield* writeMember({ ...own, mutedUntil: muted, digestHour: hour })
    }
    if (hour !== before.digestHour) yield* digestTimes.followHour(own.workspaceId, own.userId)
    const hastened = mailTypes.filter((type) => modes[type] === "now" && modeOf(before, type) === "digest")
    yield* digestTimes.sendNow(own.workspaceId, own.userId, hastened)
    return { ...after, mutedUntil: muted, digestHour: hour }
  })

  const update: MailPreferences["update"] = Effect.fn("Repo.mailPreferences.update")(
    ({ session, userId, workspaceId }, changes) =>
      Effect.gen(function* () {
        yield* lockWorkspace(workspaceId)
        yield* hold({ author: { type: "user", id: userId }, session, workspaceId, roles: Role.literals })
        return toOwn(yield* change({ userId, workspaceId }, changes))
      }).pipe(
        sql.withTransaction,
        // Every role may choose.
        Effect.catchTag("RoleLost", Effect.die),
        withDatabaseTimeout("changing the choices of mail")
      )
  )

  const tokenFor: MailPreferences["tokenFor"] = Effect.fn("Repo.mailPreferences.tokenFor")(function* (about) {
    const text = yield* Effect.orDie(encodeToken(about))
    return Base64Url.encode(yield* cipher.seal(tokenCell, Redacted.make(text)))
  })

  const openToken = (token: string): Effect.Effect<Option.Option<UnsubscribeToken>> =>
    Effect.fromResult(Base64Url.decode(token)).pipe(
      Effect.flatMap((sealed) => cipher.open(tokenCell, sealed)),
      Effect.map((text) => decodeToken(Redacted.value(text))),
      Effect.orElseSucceed(() => Option.none())
    )

  /** A summary is turned off by turning off what it collects. */
  const typesOf = (type: string, { modes, role }: MemberRow): ReadonlyArray<MailType> =>
    mailTypes.filter((each) => (type === digestType ? modeOf({ modes, role }, each) === "digest" : each === type))

  const planTurningOff = Effect.fnUntraced(function* ({ type, userId, workspaceId }: UnsubscribeToken) {
    const member = yield* findMember({ userId, workspaceId })
    const types = typesOf(type, member)
    const off = Object.fromEntries(types.map((each) => [each, "off" as const]))
    const after = { ...member, modes: { ...member.modes, ...off } }
    const admins = yield* findMembers({ workspaceId, userId: null })
    const unheard =
      member.role === "admin" ? withoutReceiver(admins.map((admin) => (admin.userId === userId ? after : admin))) : []
    const kept = types.filter((each) => unheard.includes(each))
    const modes: Readonly<Record<string, MailMode>> = {
      ...off,
      ...Object.fromEntries(kept.map((each) => [each, "digest" as const]))
    }
    const result: TurnedOff = {
      workspaceName: member.workspaceName,
      type,
      stopped: types.filter((each) => !kept.includes(each)),
      kept
    }
    return { modes, result }
  })

  const findToken: MailPreferences["findToken"] = Effect.fn("Repo.mailPreferences.findToken")(function* (token) {
    const about = yield* openToken(token)
    if (Option.isNone(about)) return Option.none()
    return yield* planTurningOff(about.value).pipe(
      Effect.map(({ result }) => Option.some(result)),
      Effect.catchTag("SessionEnded", () => Effect.succeedNone),
      withDatabaseTimeout("reading the choices of mail")
    )
  })

  const turnOff: MailPreferences["turnOff"] = Effect.fn("Repo.mailPreferences.turnOff")(function* (token) {
    const about = yield* openToken(token)
    if (Option.isNone(about)) return Option.none()
    const { userId, workspaceId } = about.value
    return yield* Effect.gen(function* () {
      yield* lockWorkspace(workspaceId)
      const { modes, result } = yield* planTurningOff(about.value)
      yield* writeModes({ userId, workspaceId, modes })
      return Option.some(result)
    }).pipe(
      sql.withTransaction,
      Effect.catchTag("SessionEnded", () => Effect.succeedNone),
      withDatabaseTimeout("turning off mail")
    )
  })

  return { get, update, tokenFor, findToken, turnOff } satisfies MailPreferences
})
