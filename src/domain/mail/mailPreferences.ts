import { DateTime } from "effect"
import type { NotificationEvent } from "../notification.ts"
import type { Role } from "../people/role.ts"
import { type MailMode, type MailType, mailTypes } from "../plain/mail.ts"

/** The type of a delivery that collects notifications of all types. */
export const digestType = "digest"

interface TypeOfMail {
  /** The roles that can choose mail of this type. */
  readonly mayGet: ReadonlyArray<Role>
  /** The roles that get it immediately unless they choose otherwise. */
  readonly getByDefault: ReadonlyArray<Role>
}

const everyone: ReadonlyArray<Role> = ["viewer", "editor", "admin"]
const authors: ReadonlyArray<Role> = ["editor", "admin"]
const admins: ReadonlyArray<Role> = ["admin"]

const types: Readonly<Record<NotificationEvent["type"], TypeOfMail>> = {
  "post.failed": { mayGet: everyone, getByDefault: authors },
  "integration.disconnected": { mayGet: everyone, getByDefault: authors },
  "integration.expiring": { mayGet: everyone, getByDefault: authors },
  "post.approval_requested": { mayGet: authors, getByDefault: authors },
  "post.draft_overdue": { mayGet: authors, getByDefault: authors },
  "outlook.checked": { mayGet: everyone, getByDefault: authors },
  "publishing.held": { mayGet: everyone, getByDefault: admins },
  "webhook.disabled": { mayGet: admins, getByDefault: admins },
  "channel.disabled": { mayGet: admins, getByDefault: admins },
  "post.unconfirmed": { mayGet: everyone, getByDefault: [] },
  "post.published": { mayGet: everyone, getByDefault: [] }
}

const typesByName: ReadonlyMap<string, TypeOfMail> = new Map(Object.entries(types))

/** Somebody in a workspace always gets these. */
export const essentialTypes = ["post.failed", "integration.disconnected"] as const satisfies ReadonlyArray<MailType>
const essential: ReadonlySet<string> = new Set(essentialTypes)

/** The types that a role can choose. */
export const typesFor = (role: Role): ReadonlyArray<MailType> =>
  mailTypes.filter((type) => types[type].mayGet.includes(role))

export interface MailChoices {
  readonly role: Role
  /** By type; the defaults of the role apply to the others. */
  readonly modes: Readonly<Record<string, MailMode>>
  readonly mutedUntil: DateTime.Utc | null
}

/** A type that only a later version knows is not mailed. */
export const modeOf = ({ modes, role }: Pick<MailChoices, "modes" | "role">, type: string): MailMode => {
  const known = typesByName.get(type)
  if (known === undefined || !known.mayGet.includes(role)) return "off"
  return modes[type] ?? (known.getByDefault.includes(role) ? "now" : "off")
}

const isMuted = ({ mutedUntil }: MailChoices, now: DateTime.Utc): boolean =>
  mutedUntil !== null && DateTime.isGreaterThan(mutedUntil, now)

export interface Receiver<M> {
  readonly member: M
  readonly mode: Exclude<MailMode, "off">
}

/**
 * The members who get mail of a type. If all admins have turned off or muted an essential type, every admin gets it: an
 * admin may have turned it off while another one still got it, and that one has left since.
 */
export const receiversOf = <M extends MailChoices>(
  members: ReadonlyArray<M>,
  type: string,
  now: DateTime.Utc
): ReadonlyArray<Receiver<M>> => {
  const chosen = members.flatMap((member): ReadonlyArray<Receiver<M>> => {
    const mode = modeOf(member, type)
    return mode === "off" || isMuted(member, now) ? [] : [{ member, mode }]
  })
  if (!essential.has(type) || chosen.some(({ member }) => member.role === "admin")) return chosen
  const all = members.filter(({ role }) => role === "admin")
  return [...chosen, ...all.map((member): Receiver<M> => ({ member, mode: "now" }))]
}

/**
 * Asked again before a message is sent, because the person may have changed their mind. `othersGet` are the essential
 * types that another admin gets.
 */
export const stillGets = (
  member: MailChoices & { readonly othersGet: ReadonlyArray<string> },
  type: string,
  now: DateTime.Utc
): boolean =>
  (modeOf(member, type) !== "off" && !isMuted(member, now)) ||
  (member.role === "admin" && essential.has(type) && !member.othersGet.includes(type))
