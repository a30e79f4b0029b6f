import type { Role } from "../../../domain/people/role.ts"
import { describeFailure } from "../../api/errors.ts"
import { type InviteJson, type MemberJson, removeMember, setRole, takeBackInvite } from "../../api/members.ts"
import { invalidate } from "../../api/query.ts"
import { useMe } from "../../shared/me.ts"
import { roles } from "../../../domain/plain/access.ts"
import { isRole, roleNames } from "../../shared/roles.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Select } from "../../ui/controls/Field.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Avatar } from "../../ui/display/Avatar.tsx"
import { Time } from "../../ui/time/Time.tsx"

export const MemberRow = ({ member: { created_at, email, role, user_id } }: { readonly member: MemberJson }) => {
  const isOwn = useMe().caller.id === user_id
  const { confirm, dialog } = useConfirm()

  const change = async (next: Role) => {
    const outcome = await setRole(user_id, next)
    invalidate("/v1/members", "/v1/me")
    if (outcome.ok) toast(`${email} is now ${roleNames[next].toLowerCase()}`, { tone: "success" })
    else toast(describeFailure(outcome.error), { tone: "error" })
  }
  const remove = async () => {
    const isSure = await confirm({
      title: isOwn ? "Leave this workspace?" : `Remove ${email}?`,
      text: isOwn ? "You need another invitation to come back." : "The access ends at once. What they wrote stays.",
      action: isOwn ? "Leave" : "Remove",
      danger: true
    })
    if (!isSure) return
    const outcome = await removeMember(user_id)
    invalidate("/v1/members", "/v1/me")
    if (outcome.ok) toast(isOwn ? "You left the workspace" : `Removed ${email}`, { tone: "success" })
    else toast(describeFailure(outcome.error), { tone: "error" })
  }

  return (
    <li class="settings-row">
      <Avatar name={email} />
      <div class="settings-main">
        <p class="settings-name truncate" title={email}>
          {email}
          {isOwn && <span class="secondary"> (you)</span>}
        </p>
        <p class="secondary small">
          Joined <Time at={created_at} as="sentence" />
        </p>
      </div>
      <div class="settings-actions">
        <Select
          aria-label={`Role of ${email}`}
          value={role}
          onChange={(event) => {
            const next = event.currentTarget.value
            // The role is the one before until the service says so.
            event.currentTarget.value = role
            if (isRole(next)) void change(next)
          }}
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {roleNames[each]}
            </option>
          ))}
        </Select>
        <Button kind="quiet" aria-label={isOwn ? undefined : `Remove ${email}`} onClick={() => void remove()}>
          {isOwn ? "Leave" : "Remove"}
        </Button>
      </div>
      {dialog}
    </li>
  )
}

export const InviteRow = ({ invite: { email, expires_at, id, role } }: { readonly invite: InviteJson }) => {
  const takeBack = async () => {
    const outcome = await takeBackInvite(id)
    invalidate("/v1/invites")
    if (outcome.ok) toast(`The invitation of ${email} was taken back`)
    else toast(describeFailure(outcome.error), { tone: "error" })
  }
  return (
    <li class="settings-row">
      <Avatar name={email} />
      <div class="settings-main">
        <p class="settings-name truncate" title={email}>
          {email}
        </p>
        <p class="secondary small">
          {roleNames[role]} · the link works until <Time at={expires_at} as="sentence" />
        </p>
      </div>
      <Button kind="quiet" aria-label={`Take back the invitation of ${email}`} onClick={() => void takeBack()}>
        Take back
      </Button>
    </li>
  )
}
