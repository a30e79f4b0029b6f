import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { type MailChoices, modeOf, receiversOf, stillGets } from "../../../src/domain/mail/mailPreferences.ts"
import { NotificationEvent } from "../../../src/domain/notification.ts"
import { Role } from "../../../src/domain/people/role.ts"

const now = DateTime.makeUnsafe("2026-11-30T12:00:00Z")
const inAnHour = DateTime.addDuration(now, Duration.hours(1))

const person = (role: Role, changes: Partial<MailChoices> = {}): MailChoices => ({
  role,
  modes: {},
  mutedUntil: null,
  ...changes
})

const types = NotificationEvent.members.map(({ fields }) => fields.type.schema.literal)

const getters = (people: ReadonlyArray<MailChoices>, type: string) =>
  receiversOf(people, type, now).map(({ member, mode }) => [member.role, mode])

describe("who gets mail", () => {
  it("The defaults depend on the role: who can act gets mail immediately", () => {
    const table = Object.fromEntries(
      types.map((type) => [type, Role.literals.filter((role) => modeOf(person(role), type) === "now")])
    )
    assert.deepStrictEqual(table, {
      "post.published": [],
      "post.failed": ["editor", "admin"],
      "post.unconfirmed": [],
      "post.approval_requested": ["editor", "admin"],
      "post.draft_overdue": ["editor", "admin"],
      "outlook.checked": ["editor", "admin"],
      "channel.disabled": ["admin"],
      "publishing.held": ["admin"],
      "integration.disconnected": ["editor", "admin"],
      "integration.expiring": ["editor", "admin"],
      "webhook.disabled": ["admin"]
    })
  })

  it("Nobody gets what their role can't act on, whatever they once chose in another role", () => {
    const modes = { "post.approval_requested": "now", "webhook.disabled": "digest" } as const
    assert.strictEqual(modeOf(person("viewer", { modes }), "post.approval_requested"), "off")
    assert.strictEqual(modeOf(person("editor", { modes }), "webhook.disabled"), "off")
    assert.strictEqual(modeOf(person("admin", { modes }), "webhook.disabled"), "digest")
  })

  it("A type of a later version is not mailed", () => {
    for (const type of ["post.later", "constructor", "__proto__"]) {
      assert.deepStrictEqual(getters([person("admin", { modes: { [type]: "now" } })], type), [])
    }
  })

  it("A person who muted everything gets nothing until the mute ends", () => {
    const muted = person("editor", { mutedUntil: inAnHour })
    assert.deepStrictEqual(getters([muted], "post.failed"), [])
    assert.lengthOf(receiversOf([muted], "post.failed", inAnHour), 1)
  })

  it("Somebody always gets failures: every admin, once no admin has chosen them", () => {
    const off = { "post.failed": "off", "integration.disconnected": "off" } as const
    const people = [person("admin", { modes: off }), person("admin", { mutedUntil: inAnHour }), person("viewer")]
    for (const type of ["post.failed", "integration.disconnected"]) {
      assert.deepStrictEqual(getters(people, type), [
        ["admin", "now"],
        ["admin", "now"]
      ])
      assert.deepStrictEqual(getters([...people, person("admin")], type), [["admin", "now"]])
      assert.isTrue(people.slice(0, 2).every((admin) => stillGets({ ...admin, othersGet: [] }, type, now)))
      assert.isTrue(people.slice(0, 2).every((admin) => !stillGets({ ...admin, othersGet: [type] }, type, now)))
    }
    assert.deepStrictEqual(getters(people, "post.draft_overdue"), [["admin", "now"]])
  })
})
